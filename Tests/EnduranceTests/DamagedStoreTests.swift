// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("A store that cannot be used", .timeLimit(.minutes(20)))
struct DamagedStoreTests {
    /// Starts a host that is to be refused, and returns what it says.
    private func refusal(_ trial: StoreTrial, wrapper: [String] = []) throws -> Record {
        let harness = try trial.start("drain", wrapper: wrapper)
        #expect(harness.finish() == .exited(3))
        return try #require(harness.records.first { $0.kind == "error" })
    }

    @Test(
        "on a disk that is only read is refused, with what to do",
        .enabled(if: Surrounding.canMount, Surrounding.cannotMount))
    func readOnly() throws {
        let trial = try StoreTrial()
        try trial.run("drain", ["--count", "2"])
        let script = """
            mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"
            """
        let error = try refusal(
            trial, wrapper: Surrounding.mounting(script, at: trial.store))
        #expect(error[0] == "CURFEW_STORE_READ_ONLY")
        #expect(error[1].contains(trial.store))
        #expect(try trial.faults() == [])
    }

    @Test(
        "on a disk that is only read is not taken by a command for one whose file is gone",
        .enabled(if: Surrounding.canMount, Surrounding.cannotMount),
        arguments: [["ps"], ["show", "1"], ["settings"], ["db", "check"]])
    func lookedAtReadOnly(command: [String]) throws {
        let trial = try StoreTrial()
        try trial.run("drain", ["--count", "2"])
        let script = """
            mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"
            """
        let words = Surrounding.mounting(script, at: trial.store)
        let run = try ChildProcess.run(
            words[0],
            words.dropFirst() + [BuiltProducts.path(ofProduct: "curfew")] + command
                + ["--store", trial.store])
        #expect(run.errorOutput.hasPrefix("error[CF0026]: "), "\(run)")
        for part in [
            "its file system is mounted read-only (unable to open database file, Read-only file ",
            "mount its file system for writing",
            "reading needs a place for \(trial.store)/requests.db-shm",
        ] {
            #expect(run.errorOutput.contains(part), "\(run)")
        }
        #expect(try trial.faults() == [])
    }

    @Test("of a newer version is refused and left as it is")
    func newer() throws {
        let trial = try StoreTrial()
        try trial.run("drain", ["--count", "2"])
        let database = trial.store + "/requests.db"
        _ = try ChildProcess.run("sqlite3", [database, "PRAGMA user_version = 99"])
        let before = try Data(contentsOf: URL(fileURLWithPath: database))
        let error = try refusal(trial)
        #expect(error[0] == "CURFEW_STORE_NEWER" && error[1].contains("version 99"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
    }

    @Test("by a second host is refused, naming the first one")
    func locked() throws {
        let trial = try StoreTrial()
        let first = try trial.start("serve")
        let process = try first.wait(for: "ready")[1]
        let error = try refusal(trial)
        #expect(error[0] == "CURFEW_STORE_LOCKED")
        #expect(error[1].contains("process number \(process)"))
        // And the first one is as well as before.
        first.order("submit quick l.0.0.quick")
        try first.wait(for: "done")
        first.order("stop")
        #expect(trial.finish(first) == .exited(0))
        #expect(try trial.faults() == [])
    }

    @Test(
        "under a running host, whose file is deleted or replaced, launches nothing more",
        arguments: ["requests.db", "requests.db-wal"], [false, true])
    func gone(file: String, isReplaced: Bool) throws {
        let trial = try StoreTrial()
        let harness = try trial.start("serve")
        try harness.wait(for: "ready")
        try harness.perform("pause")
        harness.order("submit quick g.0.0.quick")
        try harness.wait(for: "ack")
        let (path, aside) = ("\(trial.store)/\(file)", "\(trial.store)/aside")
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        if isReplaced { try FileManager.default.copyItem(atPath: aside, toPath: path) }
        harness.order("submit quick g.0.1.quick")
        let refusal = try harness.wait(for: "refused")
        #expect(refusal[1] == "CURFEW_STORE_GONE" && refusal[2].contains(path))
        try harness.perform("resume")
        harness.order("submit quick g.0.2.quick")
        try harness.wait(for: "refused")
        #expect(!harness.records.contains { $0.kind == "run" })

        // The very file is put back, and all goes on.
        if isReplaced { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        harness.order("submit quick g.0.3.quick")
        try harness.wait(for: "done") { $0[0] == "g.0.3.quick" }
        try awaitStop(harness)
        #expect(trial.finish(harness) == .exited(0))
        // What was refused may be in the file that was away.
        let faults = try trial.faults()
        #expect(faults == [], "\(faults)")
    }

    private func awaitStop(_ harness: RunningHarness) throws {
        harness.order("await")
        try harness.wait(for: "ended")
        harness.order("stop")
    }

    @Test("because pages of it are damaged is refused, or works, and ends no process")
    func corrupted() throws {
        let trial = try StoreTrial()
        try trial.run("drain", ["--count", "8", "--name", "p"])
        let original = try Data(contentsOf: URL(fileURLWithPath: trial.store + "/requests.db"))
        let pages = original.count / 4_096
        var random = SystemRandomNumberGenerator()
        var endings: [String: Int] = [:]
        for page in 0..<pages {
            for pattern in Torture.isWanted ? 0..<20 : 0..<2 {
                var damaged = original
                for index in page * 4_096..<(page + 1) * 4_096
                // All of it, or a few bytes.
                where pattern % 2 == 0 || Int.random(in: 0..<64, using: &random) == 0 {
                    damaged[index] = pattern == 0 ? 0 : UInt8.random(in: 0...255, using: &random)
                }
                let copy = try StoreTrial()
                try FileManager.default.createDirectory(
                    atPath: copy.store, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                let file = URL(fileURLWithPath: copy.store + "/requests.db")
                try damaged.write(to: file)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: file.path)
                let harness = try copy.start("drain", ["--count", "2", "--name", "q"])
                let ending = harness.finish()
                let codes = harness.records.filter { $0.kind == "error" }.map { $0[0] }
                // The first page has the number of the store's version, which may have become larger.
                let fitting: Set =
                    page == 0
                    ? ["CURFEW_STORE_CORRUPT", "CURFEW_STORE_NEWER"] : ["CURFEW_STORE_CORRUPT"]
                #expect(
                    ending == .exited(0)
                        || (ending == .exited(3) && codes.count == 1
                            && fitting.isSuperset(of: codes)),
                    "page \(page): \(ending) \(harness.records.suffix(4))")
                endings["\(ending)", default: 0] += 1
            }
        }
        #expect((endings["exited(3)"] ?? 0) > 0)
        Torture.tell("\(pages) pages damaged: \(endings.sorted { $0.key < $1.key })")
    }

    @Test("because its header asks for another SQLite is refused, and not said to lack rights")
    func foreignHeader() throws {
        for version: UInt8 in [3, 255] {
            let trial = try StoreTrial()
            try trial.run("drain", ["--count", "1", "--name", "p"])
            let file = URL(fileURLWithPath: trial.store + "/requests.db")
            var damaged = try Data(contentsOf: file)
            // The version that is needed to write it.
            damaged[18] = version
            try damaged.write(to: file)
            let harness = try trial.start("drain", ["--count", "1", "--name", "q"])
            #expect(harness.finish() == .exited(3))
            let error = try #require(harness.records.first { $0.kind == "error" })
            #expect(error[0] == "CURFEW_STORE_CORRUPT", "\(error)")
            #expect(error[1].contains("its header asks for another SQLite"), "\(error)")
        }
    }

    @Test(
        "because its disk lets nothing be written any more says so, and goes on with a mended one",
        arguments: [(EROFS, "CURFEW_STORE_READ_ONLY"), (EDQUOT, "CURFEW_STORE_FULL")])
    func readOnlyAtWork(error: Int32, status: String) throws {
        let directory = try TemporaryDirectory()
        let flag = directory.path("flag")
        let library = try preload("read-only-disk", in: directory)
        let trial = try StoreTrial()
        let harness = try trial.start(
            "serve",
            environment: [
                "LD_PRELOAD": library, "READ_ONLY_DISK": flag, "READ_ONLY_ERRNO": "\(error)",
            ])
        try harness.wait(for: "ready")
        harness.order("submit held r.0.0.held")
        try harness.wait(for: "run")
        try directory.write("", to: "flag")
        // The first one finds it while it writes, the others when they open it again.
        for number in 1...3 {
            harness.order("submit quick r.0.\(number).quick")
            let refusal = try harness.wait(for: "refused")
            #expect(refusal[1] == status, "\(refusal)")
        }
        // Its end is told once it could be written.
        harness.order("open")
        try harness.wait(for: "ran") { $0[0] == "r.0.0.held" }
        try FileManager.default.removeItem(atPath: flag)
        harness.order("submit quick r.0.9.quick")
        try harness.waitForEnd(of: "r.0.0.held")
        try harness.waitForEnd(of: "r.0.9.quick")
        try awaitStop(harness)
        #expect(trial.finish(harness) == .exited(0))
        let faults = try trial.faults()
        #expect(faults == [], "\(faults)")
    }

    /// Compiles what comes before libc.
    private func preload(_ name: String, in directory: TemporaryDirectory) throws -> String {
        let library = directory.path("\(name).so")
        let source = "\(BuiltProducts.packageRoot)/Tests/EnduranceTests/\(name).c"
        let compiled = try ChildProcess.run("gcc", ["-shared", "-fPIC", "-o", library, source])
        try #require(compiled.succeeded, "\(compiled)")
        return library
    }

    @Test("because nothing comes to the disk acknowledges nothing, and goes on afterwards")
    func failingSync() throws {
        let directory = try TemporaryDirectory()
        let flag = directory.path("flag")
        let library = try preload("failing-sync", in: directory)
        let trial = try StoreTrial()
        let harness = try trial.start(
            "serve", environment: ["LD_PRELOAD": library, "FAILING_SYNC": flag])
        try harness.wait(for: "ready")
        harness.order("submit held s.0.0.held")
        try harness.wait(for: "run")
        try directory.write("", to: "flag")
        harness.order("submit quick s.0.1.quick")
        let refusal = try harness.wait(for: "refused")
        #expect(refusal[1] == "CURFEW_STORE_UNKNOWN" && refusal[2].contains("the same key"))
        // Its end is told once it could be written.
        harness.order("open")
        try harness.wait(for: "ran") { $0[0] == "s.0.0.held" }
        try FileManager.default.removeItem(atPath: flag)
        harness.order("submit quick s.0.2.quick")
        try harness.waitForEnd(of: "s.0.0.held")
        try harness.waitForEnd(of: "s.0.2.quick")
        try awaitStop(harness)
        #expect(trial.finish(harness) == .exited(0))
        let faults = try trial.faults()
        #expect(faults == [], "\(faults)")
    }
}
