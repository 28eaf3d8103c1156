// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `curfew doctor`
@Suite("What keeps a machine from launching requests")
struct DoctorTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    private func run(_ words: String...) throws -> CommandRun {
        CommandRun(
            process: try ChildProcess.run(
                CommandRun.program, words,
                environment: CommandRun.environment.merging(
                    ["HOME": files.path("home"), "TZ": "UTC"]) { $1 },
                directory: files.path, limit: .seconds(60)))
    }

    /// The findings of a part, each as its state and its text, and the exit status.
    private func findings(
        _ part: String, _ words: String...
    ) throws -> (code: Int32?, found: [(state: String, text: String, mend: String?)]) {
        let process = try ChildProcess.run(
            CommandRun.program, ["doctor", "--json"] + words,
            environment: CommandRun.environment.merging(["HOME": files.path("home")]) { $1 },
            directory: files.path, limit: .seconds(60))
        let run = CommandRun(process: process)
        let all = try #require(try run.document()["findings"] as? [[String: Any]])
        let found = all.filter { $0["part"] as? String == part }.map {
            (
                $0["state"] as? String ?? "", $0["text"] as? String ?? "",
                $0["mend"] as? String
            )
        }
        return (run.code, found)
    }

    private func write(_ text: String) throws {
        let directory = files.path("home/.config/curfew")
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        try text.write(
            toFile: directory + "/curfew.json", atomically: true, encoding: .utf8)
    }

    @Test("a machine without a store has nothing that fails, and is not changed")
    func fresh() throws {
        let run = try run("doctor")
        #expect(run.code == 0, "\(run.process)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("ok    installation   version ") == true)
        #expect(lines.contains { $0.hasPrefix("ok    store          there is no store at ") })
        #expect(
            lines.allSatisfy { $0.hasPrefix("ok  ") || $0.hasPrefix("warn") || $0.hasPrefix(" ") })
        #expect(!FileManager.default.fileExists(atPath: files.path("home/.local")))
    }

    @Test("a store without a host is a warning with what starts one")
    func alone() throws {
        #expect(try run("submit", "org.example.a").code == 0)
        let (code, host) = try findings("host")
        #expect(code == 0 && host.map(\.state) == ["warn"])
        #expect(host[0].mend?.contains("curfew") == true)
        #expect(try findings("store").found.map(\.state) == ["ok"])
    }

    @Test("the socket of a host that answers is ok, and of one that has none is a warning")
    func socket() throws {
        let script = """
            "$1" serve --store "$2" >"$2.out" & host=$!
            until test -S "$2/control.sock"; do sleep 0.05; done
            "$1" doctor --store "$2" | grep ' socket '
            rm "$2/control.sock"
            "$1" doctor --store "$2" | grep ' socket '
            kill $host
            wait $host
            """
        let run = try ChildProcess.run(
            "sh", ["-c", script, "sh", CommandRun.program, files.path("store")],
            environment: CommandRun.environment.merging(["HOME": files.path("home")]) { $1 },
            limit: .seconds(60))
        let lines = run.output.split(separator: "\n")
        #expect(run.succeeded && lines.count == 2, "\(run)")
        #expect(lines.first?.hasPrefix("ok    socket         the host answers at ") == true)
        #expect(
            lines.last?.hasPrefix("warn  socket         the host has no control socket: ") == true)
    }

    @Test("a socket that could not be made where the configuration wants it is told by the health")
    func lack() throws {
        try write("{\"control\": {\"socket\": \"\(files.path("nowhere/control.sock"))\"}}")
        let script = """
            "$1" serve >"$2.out" & host=$!
            until test -S "$HOME/.local/state/curfew/store/control.sock"; do sleep 0.05; done
            "$1" health | grep -A1 ' socket '
            kill $host
            wait $host
            """
        let run = try ChildProcess.run(
            "sh", ["-c", script, "sh", CommandRun.program, files.path("host")],
            environment: CommandRun.environment.merging(["HOME": files.path("home")]) { $1 },
            limit: .seconds(60))
        #expect(
            run.output.hasPrefix("fail  socket         there is no control socket at "), "\(run)")
        #expect(run.output.contains("curfew serve --check"))
    }

    @Test("a socket that the configuration wants where it is anyway is there")
    func same() throws {
        let socket = files.path("home/.local/state/curfew/store/control.sock")
        try write("{\"control\": {\"socket\": \"\(socket)\"}}")
        let script = """
            "$1" serve >"$2.out" & host=$!
            until test -S "$3"; do sleep 0.05; done
            "$1" doctor | grep ' socket '
            stat -c %a "$3"
            kill $host
            wait $host
            """
        let run = try ChildProcess.run(
            "sh", ["-c", script, "sh", CommandRun.program, files.path("host"), socket],
            environment: CommandRun.environment.merging(["HOME": files.path("home")]) { $1 },
            limit: .seconds(60))
        #expect(run.output.hasPrefix("ok    socket         the host answers at "), "\(run)")
        #expect(run.output.hasSuffix("\n660\n"))
    }

    @Test(
        "systemd that starts no host is a warning with what has it start one",
        .enabled(if: DoctorTests.hasMounts))
    func unit() throws {
        let script = """
            mount -t tmpfs none /run && mkdir -p /run/systemd/system &&
            mkdir -p /etc/systemd/system && mount -t tmpfs none /etc/systemd/system || exit 1
            "$1" doctor | grep -A1 ' unit '
            mkdir -p /etc/systemd/system/multi-user.target.wants
            touch /etc/systemd/system/multi-user.target.wants/curfew.service
            "$1" doctor | grep -A1 ' unit '
            """
        let run = try ChildProcess.run(
            "unshare", ["-m", "sh", "-c", script, "sh", CommandRun.program],
            environment: CommandRun.environment.merging(["HOME": files.path("home")]) { $1 },
            limit: .seconds(60))
        let output = run.output
        #expect(run.succeeded, "\(run)")
        #expect(output.contains("warn  unit           systemd starts no host with the machine\n"))
        #expect(output.contains("systemctl enable --now curfew\n"), "\(output)")
        #expect(output.contains("ok    unit           systemd starts curfew.service"))
    }

    private static let hasMounts =
        geteuid() == 0
        && (try? ChildProcess.run("unshare", ["-m", "true"]).succeeded) == true

    @Test("faults of the configuration fail, and the check is named")
    func configuration() throws {
        try write("{\"schedules\": [{}]}")
        let (code, found) = try findings("configuration")
        #expect(code == 1 && found.map(\.state) == ["fail"])
        #expect(found[0].mend == "curfew serve --check")
        try write("{\"schedules\": []}")
        #expect(try findings("configuration").found.map(\.state) == ["ok"])
    }

    @Test("a schedule that was cancelled by hand is told")
    func schedules() throws {
        try write("{\"schedules\":[{\"name\":\"a\",\"command\":[\"/bin/true\"],\"every\":\"1h\"}]}")
        let serve = try ChildProcess.run(
            "timeout", ["--preserve-status", "2", CommandRun.program, "serve"],
            environment: CommandRun.environment.merging(["HOME": files.path("home")]) { $1 },
            limit: .seconds(60))
        #expect(serve.succeeded, "\(serve)")
        #expect(try findings("schedules").found.isEmpty)
        #expect(try run("cancel", "1").code == 0)
        let found = try findings("schedules").found
        #expect(found.map(\.state) == ["warn"] && found[0].text.hasPrefix("a is not launched"))
    }

    @Test("a damaged store and a faulty plugin fail")
    func damage() throws {
        #expect(try run("submit", "org.example.a").code == 0)
        let database = files.path("home/.local/state/curfew/store/requests.db")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: database))
        try handle.seek(toOffset: 0)
        try handle.write(contentsOf: Data(repeating: 0x5A, count: 200))
        try handle.close()
        let (code, store) = try findings("store")
        #expect(code == 1 && store.map(\.state) == ["fail"], "\(store)")

        let plugin = files.path("plugins/broken")
        try FileManager.default.createDirectory(
            atPath: plugin, withIntermediateDirectories: true)
        try "{".write(toFile: plugin + "/manifest.json", atomically: true, encoding: .utf8)
        let plugins = try findings("plugins", "--plugins", files.path("plugins")).found
        #expect(plugins.map(\.state) == ["fail"])
        #expect(plugins[0].mend?.hasPrefix("curfew lint ") == true)
    }
}
