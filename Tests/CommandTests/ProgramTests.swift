// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Programs without a manifest: `curfew run -- …`, `curfew submit -- …`, and the host that runs them.
@Suite("Programs on the command line")
struct ProgramTests {
    @Test("run: output is shown, and the exit status is that of the task")
    func run() throws {
        let good = try CommandRun("run", "--", "sh", "-c", "echo hello; pwd")
        #expect(good.code == 0, "\(good.process)")
        #expect(good.output.contains("hello"))
        #expect(good.output.contains("SUCCEEDED"))
        let bad = try CommandRun("run", "--json", "--", "sh", "-c", "echo why >&2; exit 9")
        #expect(bad.code == 100)
        let last = try #require(try bad.records().last)
        #expect(last["outcome"] as? String == "failed")
        #expect(last["error"] as? String == "exited with status 9: why")
        let slow = try CommandRun(
            "run", "--budget", "100ms", "--grace", "100ms", "--", "sh", "-c",
            "trap '' TERM; sleep 100")
        #expect(slow.code == 124)
        #expect(try CommandRun("run", "--", "no-such-program").code == 127)
        #expect(try CommandRun("run", "org.example.a", "--", "true").code == 2)
        #expect(try CommandRun("run", "--payload", "x", "--", "true").code == 2)
        #expect(try CommandRun("run", "--").code == 2)
    }

    @Test(
        "submit and serve: a stored program is shown by its words, and run by a host that loads plugins"
    )
    func serve() throws {
        let files = try TemporaryDirectory()
        let store = files.path("store")
        let done = files.path("done")
        let broken = files.path("plugins/broken")
        try FileManager.default.createDirectory(
            atPath: broken, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(fileURLWithPath: broken + "/manifest.json"))
        let submitted = try CommandRun(
            "submit", "--store", store, "--json", "--", "sh", "-c", "echo ran > \(done); echo line")
        #expect(submitted.code == 0, "\(submitted.process)")
        let id = try #require(try submitted.document()["id"] as? Int)
        // Another one is added and replaces none.
        let later = try CommandRun(
            "submit", "--store", store, "--cron", "0 3 * * *", "--", "true")
        #expect(later.code == 0, "\(later.process)")
        let shown = try CommandRun("show", String(id), "--store", store)
        #expect(shown.output.contains("echo line"))
        let host = try ChildProcess.run(
            "timeout",
            [
                "--foreground", "--preserve-status", "5", BuiltProducts.path(ofProduct: "curfew"),
                "serve", "--store", store, "--plugins", files.path("plugins"), "--json",
            ], limit: .seconds(60))
        #expect(host.succeeded, "\(host)")
        #expect((try? String(contentsOfFile: done, encoding: .utf8)) == "ran\n")
        let events = host.output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
        let names = events.compactMap { $0["event"] as? String }
        #expect(names.contains("refused"))
        #expect(names.contains("serving"))
        #expect(names.last == "stopping")
        #expect(
            events.contains {
                $0["event"] as? String == "ended" && $0["succeeded"] as? Bool == true
            })
        #expect(events.contains { $0["text"] as? String == "line" })
        let after = try CommandRun("show", String(id), "--store", store, "--json").document()
        #expect(after["outcome"] as? String == "succeeded")
        #expect((after["argv"] as? [String])?.last?.hasSuffix("echo line") == true)
    }
}
