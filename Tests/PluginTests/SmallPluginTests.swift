// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The installed plugins that are a manifest alone, and the one that is made of subs.
@Suite("Plugins that are hardly any code")
struct SmallPluginTests {
    private func run(
        _ plugin: String, _ identifier: String, payload: String = "", budget: String = "60s",
        environment: [String: String] = [:]
    ) throws -> (code: Int32?, lines: [String]) {
        let process = try ChildProcess.run(
            "\(BuiltProducts.prefix)/bin/curfew",
            [
                "run", identifier, "--plugin",
                "\(BuiltProducts.prefix)/lib/curfew/plugins/\(plugin)", "--budget", budget,
                "--payload", payload,
            ],
            environment: [
                "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
            ].merging(environment) { $1 })
        let code: Int32? = if case .exited(let code) = process.ending { code } else { nil }
        return (code, process.output.split(separator: "\n").map(String.init))
    }

    @Test(
        "a function of a library of the system, described in a manifest",
        arguments: [
            ("crc32", "123456789", 0, "result: 3421780262"),
            ("crc32", "", 0, "result: 0"),
            ("sync", "", 0, "SUCCEEDED"),
            ("sqlite-complete", "select 1;", 0, "SUCCEEDED"),
            ("sqlite-complete", "select 1", 100, "sqlite3_complete returned 0"),
        ])
    func calls(plugin: String, payload: String, code: Int, line: String) throws {
        let ran = try run(plugin, "org.curfew.\(plugin)", payload: payload)
        #expect(ran.code == Int32(code), "\(ran.lines)")
        #expect(ran.lines.contains { $0.contains(line) }, "\(ran.lines)")
    }

    @Test("a program: a backup replaces yesterday's archive, or leaves it as it was")
    func backup() throws {
        let files = try TemporaryDirectory()
        try files.write("one\n", to: "notes/a.txt")
        let what = "\(files.path("notes"))\n\(files.path("notes.tar.gz"))\n"
        let first = try run("backup", "org.curfew.backup", payload: what)
        #expect(first.code == 0, "\(first.lines)")
        #expect(first.lines.contains { $0.contains("result: 2 files, ") }, "\(first.lines)")
        #expect(first.lines.contains { $0.contains("./a.txt") }, "\(first.lines)")
        let archive = try files.read("notes.tar.gz")
        try files.run("rm", ["-r", files.path("notes")])
        let second = try run("backup", "org.curfew.backup", payload: what)
        #expect(second.code == 100)
        #expect(second.lines.contains { $0.contains("there is no directory ") }, "\(second.lines)")
        #expect(try files.read("notes.tar.gz") == archive)
    }

    @Test("the source document's task in its plain form: status.txt, and how it ended")
    func refresh() throws {
        let files = try TemporaryDirectory()
        let own = ["XDG_CACHE_HOME": files.path]
        let ran = try run("refresh-subs", "com.yourcompany.apprefresh", environment: own)
        #expect(ran.code == 0, "\(ran.lines)")
        let status = String(decoding: try files.read("refresh-subs/status.txt"), as: UTF8.self)
        #expect(
            status.split(separator: "\n").map { $0.prefix(12) } == [
                "free space  ", "load        ", "up for      ",
            ])
        // A file in the place of the directory: the sub's text is the error.
        let file = try files.write("", to: "file")
        let failed = try run(
            "refresh-subs", "com.yourcompany.apprefresh",
            environment: ["XDG_CACHE_HOME": file])
        #expect(failed.code == 100)
        #expect(failed.lines.contains { $0.contains("cannot write status.txt: Not a directory") })
    }

    @Test("the same in its resumable form: goes through a directory, and stops when its time is up")
    func processing() throws {
        let (files, listed) = (try TemporaryDirectory(), try TemporaryDirectory())
        for number in 1...300 { try listed.write("\(number)", to: "file \(number)") }
        let own = ["XDG_CACHE_HOME": files.path]
        let stopped = try run(
            "refresh-subs", "com.yourcompany.processing", payload: listed.path, budget: "100ms",
            environment: own)
        #expect(stopped.code == 124, "\(stopped.lines)")
        #expect(stopped.lines.contains { $0.contains("stopped after ") })
        #expect(!FileManager.default.fileExists(atPath: files.path("refresh-subs/inventory.txt")))
        let ran = try run(
            "refresh-subs", "com.yourcompany.processing", payload: listed.path, environment: own)
        #expect(ran.code == 0, "\(ran.lines)")
        let inventory = String(
            decoding: try files.read("refresh-subs/inventory.txt"), as: UTF8.self)
        #expect(inventory.split(separator: "\n").count == 300)
        #expect(inventory.contains("           3  file 123\n"))
        let left = try FileManager.default.contentsOfDirectory(
            atPath: files.path("refresh-subs"))
        #expect(!left.contains { $0.hasSuffix(".new") })
        let nowhere = try run(
            "refresh-subs", "com.yourcompany.processing", payload: "/nowhere", environment: own)
        #expect(nowhere.code == 100)
        #expect(nowhere.lines.contains { $0.contains("cannot open the directory: No such file") })
    }
}
