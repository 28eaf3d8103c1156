// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import TestSupport
import Testing

@testable import Persistence

@Suite("A store on disk that was damaged, or has no room")
struct SQLiteDamageTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws(StoreFault) -> SQLiteStore {
        try SQLiteStore.open(directory: path, as: .host(OpenStore.host))
    }

    /// A store of many pages, closed.
    private func fill() throws {
        let store = try open()
        var generator = SeededGenerator(seed: 2)
        try store.write { transaction throws(StoreFault) in
            for _ in 0..<300 {
                var request = Request.random(&generator)
                request.id = try transaction.insert(
                    request, payload: Array(repeating: 3, count: 200))
                try transaction.put(
                    Attempt(
                        request: request.id, launch: 1, number: 1, host: OpenStore.host,
                        startedAt: 3))
                try transaction.append(
                    JournalEntry(.submitted, at: 3, request: request.id, detail: "a detail"))
            }
        }
    }

    /// Everything that a host does.
    private func use() throws(StoreFault) {
        let store = try open()
        try store.read { store throws(StoreFault) in
            for queue in try store.queues(of: nil, limit: .max) { _ = try store.head(of: queue) }
            _ = try store.firstToMiss()
            _ = try store.running()
            for request in try store.requests(RequestFilter(limit: .max)) {
                _ = try store.payload(of: request.id)
                _ = try store.attempts(of: request.id, limit: 9)
                _ = try store.pending(of: request.description.identifier)
                if let key = request.description.key {
                    _ = try store.find(key: key, of: request.description.identifier, owner: nil)
                }
            }
            _ = try store.journal(after: 0, of: nil, limit: .max)
        }
        try store.add("a")
        var ledger = RequestLedger()
        ledger.limits.pending[.appRefresh] = 1_000
        try store.write { store throws(StoreFault) in
            let now = Moment(wall: 40, span: 40)
            _ = try ledger.enter(
                HostRecord(identity: OpenStore.host, since: 0), at: now, store
            ) { _ in true }
            _ = try ledger.missOverdue(at: 40, limit: 20, store)
            for queue in try store.queues(of: nil, limit: .max) {
                guard let head = try store.head(of: queue) else { continue }
                _ = try ledger.launch(
                    head.id, by: OpenStore.host, at: now, LaunchTerms(awakeSince: 40), store)
                _ = try ledger.end(head.id, launch: 1, AttemptEnd(.failed), at: now, store)
            }
            _ = try store.prune(before: 20, keeping: 10, limit: 100)
        }
    }

    @Test(
        "flipped bytes are a clear fault or do no harm, and never stop the process",
        arguments: 0..<4)
    func flipped(_ part: UInt64) throws {
        try fill()
        let whole = try directory.read("store/requests.db")
        var faults = 0
        for seed in part * 40..<part * 40 + 40 {
            var generator = SeededGenerator(seed: seed)
            var bytes = whole
            switch seed % 4 {
            case 0: bytes[.random(in: 0..<100, using: &generator)] ^= 0xFF
            case 1:
                let page = Int.random(in: 0..<bytes.count / 4_096, using: &generator)
                for place in page * 4_096..<page * 4_096 + 4_096 {
                    bytes[place] = .random(in: 0...255, using: &generator)
                }
            case 2: bytes.removeLast(.random(in: 1..<bytes.count, using: &generator))
            default:
                for _ in 0..<Int.random(in: 1...200, using: &generator) {
                    bytes[.random(in: 100..<bytes.count, using: &generator)] =
                        .random(in: 0...255, using: &generator)
                }
            }
            for file in ["requests.db-wal", "requests.db-shm", "acknowledged"] {
                try? FileManager.default.removeItem(atPath: "\(path)/\(file)")
            }
            try directory.write(bytes, to: "store/requests.db")
            do {
                try use()
            } catch {
                let fault = error
                faults += 1
                #expect(
                    [.corrupt, .newer, .io, .denied, .readOnly].contains(fault.kind),
                    "seed \(seed): \(fault)")
                #expect(fault.message.contains(path), "seed \(seed): \(fault)")
                // The command finds the store, wherever it is.
                #expect(
                    !fault.message.contains("db check")
                        || fault.message.contains("`curfew db check --store \(path)`"),
                    "seed \(seed): \(fault)")
            }
            _ = try? SQLiteStore.quickCheck(directory: path)
            _ = try? SQLiteStore.integrityCheck(directory: path)
            _ = try? SQLiteStore.backup(directory: path, to: directory.path("backup\(seed)"))
        }
        #expect(faults > 5)
    }

    @Test(
        "a value that cannot be is a fault that names its row",
        arguments: [
            ("request", "kind = 9"), ("request", "state = 0"), ("request", "state = 1, kind = 77"),
            ("request", "needs = 4"), ("request", "priority = 2"), ("request", "on_pending = 0"),
            ("request", "opportunistic = 3"), ("request", "at_most = -1"),
            ("request", "retry_jitter = 1e999"), ("request", "retry_attempts = -1"),
            ("request", "rule = 4"), ("request", "rule = 1, every = 0"),
            ("request", "rule = 2, every = NULL, cron = '61 * * * *', catch_up = 1"),
            ("request", "date_jitter = -1"), ("request", "not_before = -1"),
            ("request", "nominal = 9223372036854775807"), ("request", "reason = 0"),
            ("request", "attempts = 4294967296"), ("request", "launches = -1"),
            ("request", "crashes = 4294967295"), ("request", "outcome = 200"),
            ("request", "identifier = CAST(x'FF' AS TEXT)"), ("request", "payload_size = -1"),
            ("attempt", "outcome = 9"), ("attempt", "number = -1"), ("attempt", "reason = 0"),
            ("attempt", "process = 99999999999"), ("attempt", "progress = 2"),
            ("attempt", "result_bytes = -1"), ("attempt", "log_dropped = -1"),
            ("journal", "what = 99"), ("journal", "at = -5"),
        ])
    func nonsense(_ table: String, _ change: String) throws {
        try fill()
        let connection = try SQLiteConnection(path + "/requests.db", for: .writing)
        try connection.settle()
        let key = table == "request" ? "id" : table == "attempt" ? "request" : "sequence"
        try connection.run(
            "PRAGMA ignore_check_constraints = ON; UPDATE \(table) SET \(change) WHERE \(key) = 17")
        let store = try open()
        let fault = try #require(
            #expect(throws: StoreFault.self) {
                try store.read { store throws(StoreFault) in
                    _ = try store.requests(RequestFilter(limit: .max))
                    _ = try store.attempts(of: RequestID(rawValue: 17), limit: 5)
                    _ = try store.journal(after: 0, of: nil, limit: .max)
                }
            })
        #expect(fault.kind == .corrupt)
        #expect(fault.message.contains("row 17 of table \(table) makes no sense"))
        // The store goes on with what makes sense.
        try store.add("a")
        // What can be said without reading texts and dates is found by the check, too.
        let isSeen = [
            "kind", "state = 0", "priority", "on_pending", "rule = 4", "outcome", "number",
            "opportunistic", "at_most", "progress", "result_bytes", "log_dropped",
        ]
        if isSeen.contains(where: { change.hasPrefix($0) }) {
            #expect(try SQLiteStore.quickCheck(directory: path) != [])
        }
    }

    @Test(
        "an index in which a request waits that does not is a fault, and nothing is tried for ever",
        arguments: [("request_live", nil), ("request_latest", 1_000_001_000_000_000)])
    func staleIndex(_ index: String, _ latest: Int64?) throws {
        var description = RequestDescription("org.example.tidy", kind: .processing)
        description.latest = latest
        var now = Moment(wall: 1_000_000_000_000_000, span: 1_000_000_000)
        let book = RequestBook(host: OpenStore.host, ledger: RequestLedger())
        do {
            var book = book
            let store = try open()
            try store.write { (store) throws(StoreFault) in
                _ = try book.open(at: now, store)
                _ = try book.submit(description, payload: [], at: now, store)
            }
        }
        // The row is changed while the index is out of SQLite's sight, which our own connections do
        // not allow.
        let edit = """
            import sqlite3, sys
            name = "name = 'INDEX'"
            def change(statement, rows=()):
                base = sqlite3.connect(sys.argv[1], isolation_level=None)
                base.execute("PRAGMA writable_schema = ON")
                found = base.execute("SELECT * FROM sqlite_schema WHERE " + name).fetchall()
                base.executemany(statement, rows) if rows else base.execute(statement)
                base.close()
                return found
            index = change("DELETE FROM sqlite_schema WHERE " + name)
            change("UPDATE request SET state = 6")
            change("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", index)
            """.replacing("INDEX", with: index)
        let edited = try ChildProcess.run("python3", ["-c", edit, path + "/requests.db"])
        #expect(edited.succeeded, "\(edited)")

        let store = try open()
        now.wall += 2_000_000_000
        let fault = try #require(
            #expect(throws: StoreFault.self) {
                try store.write { (store) throws(StoreFault) in
                    var book = book
                    book.setState(HandlerState(places: 2), of: description.identifier)
                    _ = try book.open(at: now, store)
                    _ = try book.decide(at: now, store)
                }
            })
        #expect(fault.kind == .corrupt)
        #expect(fault.message.hasPrefix("request 1 is in an index of what waits"))
    }

    @Test("a count that is wrong is found by the whole check")
    func counts() throws {
        try fill()
        #expect(try SQLiteStore.quickCheck(directory: path) == [])
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
        let connection = try SQLiteConnection(path + "/requests.db", for: .writing)
        try connection.run("UPDATE journal SET processing = processing + 1")
        #expect(try SQLiteStore.integrityCheck(directory: path).count == 1)
        #expect(try SQLiteStore.quickCheck(directory: path) == [])
    }

    @Test("a backup is a whole store of its owner's, made beside a host, and replaces nothing")
    func backup() throws {
        try fill()
        let store = try open()
        let copy = directory.path("copy")
        try SQLiteStore.backup(directory: path, to: copy)
        let attributes = try FileManager.default.attributesOfItem(atPath: copy)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let before = try directory.read("copy")
        // It has a log from its first moment as a store on.
        #expect(Array(before[18...19]) == [2, 2])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                == ["copy", "store"])
        #expect(throws: StoreFault.self) { try SQLiteStore.backup(directory: path, to: copy) }
        #expect(try directory.read("copy") == before)
        #expect(
            throws: StoreFault.self,
            performing: { try SQLiteStore.backup(directory: path, to: path + "/no/copy") })

        let keys = try store.keys
        try store.add("later")
        try directory.write([], to: "other/requests.db")
        chmod(directory.path("other"), 0o700)
        chmod(directory.path("other/requests.db"), 0o600)
        try directory.write(before, to: "other/requests.db")
        chmod(directory.path("other/requests.db"), 0o600)
        let other = try SQLiteStore.open(
            directory: directory.path("other"), as: .host(OpenStore.host))
        #expect(try other.keys == keys)
        try other.add("next")
        #expect(
            try other.read { store throws(StoreFault) in
                try store.request(RequestID(rawValue: 301))?.description.key
            } == "next")
    }

    /// The files of a store that was killed with so many requests acknowledged.
    private func killed(_ count: Int) async throws {
        try open().add("first")
        for _ in 1..<count {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let store = try SQLiteStore.open(directory: path, as: .client(creates: false))
                try store.write { store throws(StoreFault) in
                    let id = try store.insert(sample(), payload: [])
                    try store.append(JournalEntry(.submitted, at: 3, request: id))
                }
                kill(getpid(), SIGKILL)
            }
        }
    }

    private enum Loss: CaseIterable {
        case removed, emptied, beginning, lastPage, middle
    }

    @Test(
        "a log that is missing or damaged is noticed, with what it had, and nothing is given again",
        arguments: Loss.allCases)
    private func lostLog(_ loss: Loss) async throws {
        try await killed(2)
        let log = path + "/requests.db-wal"
        let (whole, database) = (
            try directory.read("store/requests.db-wal"), try directory.read("store/requests.db")
        )
        var bytes = whole
        switch loss {
        case .removed: bytes = []
        case .emptied: bytes = []
        case .beginning: bytes[3] ^= 1
        case .lastPage: bytes[bytes.count - 700] ^= 4
        case .middle: bytes.replaceSubrange(32..<2_000, with: repeatElement(0, count: 1_968))
        }
        try directory.write(bytes, to: "store/requests.db-wal")
        chmod(log, 0o600)
        if loss == .removed { unlink(log) }
        let said = "request 2 and entry 1 of the journal, which \(path)/acknowledged says"
        for role in [SQLiteStore.Role.host(OpenStore.host), .client(creates: true)] {
            let fault = try #require(
                #expect(throws: StoreFault.self) {
                    _ = try SQLiteStore.open(directory: path, as: role)
                })
            #expect(fault.kind == .corrupt)
            #expect(fault.message.contains(said), "\(fault)")
            #expect(fault.message.contains(log), "\(fault)")
        }
        let found = try SQLiteStore.quickCheck(directory: path)
        #expect(found.count == 1 && found[0].contains(said), "\(found)")
        // A backup of what is left would pass for one of the whole store.
        let backup = #expect(throws: StoreFault.self) {
            try SQLiteStore.backup(directory: path, to: directory.path("copy.db"))
        }
        #expect(backup?.kind == .corrupt)
        #expect(!FileManager.default.fileExists(atPath: directory.path("copy.db")))
        // What is there is as it was.
        #expect(try directory.read("store/requests.db") == database)
        if loss != .removed { #expect(try directory.read("store/requests.db-wal") == bytes) }

        // Put back, all is well.
        try directory.write(whole, to: "store/requests.db-wal")
        chmod(log, 0o600)
        #expect(try open().keys == ["first", ""])
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
    }

    @Test("to go on without what was lost is what its message says")
    func lossAccepted() async throws {
        try await killed(3)
        unlink(path + "/requests.db-wal")
        #expect(throws: StoreFault.self) { try open() }
        unlink(path + "/acknowledged")
        try open().add("next")
        // The second was brought over when the third one came.
        #expect(try open().keys == ["first", "", "next"])
    }

    @Test("a store whose log was lost before there were tables in its database is no new one")
    func lostTables() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            // Beside a reader nothing is brought over.
            let store = try SQLiteStore.open(directory: path, as: .host(OpenStore.host))
            try store.add("a")
            kill(getpid(), SIGKILL)
        }
        for file in ["requests.db-wal", "requests.db-shm"] { unlink("\(path)/\(file)") }
        let connection = try SQLiteConnection(path + "/requests.db", for: .writing)
        let tables = try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
        #expect(tables.contains("request"))
        try directory.write([], to: "store/requests.db")
        chmod(path + "/requests.db", 0o600)
        let fault = #expect(throws: StoreFault.self) { try open() }
        #expect(fault?.kind == .corrupt)
        #expect(fault?.message.contains("requests.db is empty, and \(path)/acknowledged") == true)
    }

    @Test("where what was acknowledged cannot be read it is told what to do")
    func unreadableMark() throws {
        try fill()
        unlink(path + "/acknowledged")
        mkdir(path + "/acknowledged", 0o700)
        let fault = #expect(throws: StoreFault.self) { try open() }
        #expect(fault?.message.contains("acknowledged, cannot be read: Is a directory; ") == true)
        #expect(fault?.message.contains("chmod 600 \(path)/acknowledged") == true)
        #expect(fault?.message.contains("`curfew db check --store \(path)`") == true)
    }

    @Test(
        "a database without tables is a loss where something was acknowledged, however it is opened"
    )
    func noTables() throws {
        do { try open().add("a") }
        for file in ["", "-wal", "-shm"] { unlink("\(path)/requests.db\(file)") }
        try directory.write([], to: "store/requests.db")
        chmod(path + "/requests.db", 0o600)
        unlink(path + "/wake")
        let mark = try directory.read("store/acknowledged")
        unlink(path + "/acknowledged")
        // A first page, and nothing more.
        try SQLiteConnection(path + "/requests.db", for: .writing).run("VACUUM")
        let looks: [() throws -> Void] = [
            { _ = try SQLiteStore.quickCheck(directory: path) },
            { _ = try SQLiteStore.integrityCheck(directory: path) },
            { try SQLiteStore.backup(directory: path, to: directory.path("copy.db")) },
            { _ = try SQLiteStore.open(directory: path, as: .client(creates: false)) },
        ]
        for look in looks {
            let fault = #expect(throws: StoreFault.self) { try look() }
            #expect(fault?.kind == .absent)
        }
        try directory.write(mark, to: "store/acknowledged")
        for look in looks + [{ _ = try open() }] {
            let fault = #expect(throws: StoreFault.self) { try look() }
            #expect(fault?.kind == .corrupt)
            let said = "requests.db has no tables, and \(path)/acknowledged says"
            #expect(fault?.message.contains(said) == true, "\(String(describing: fault))")
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path("copy.db")))
    }

    @Test("a backup that is taken back is not what was acknowledged after it was made")
    func takenBack() throws {
        try fill()
        let copy = directory.path("copy")
        try SQLiteStore.backup(directory: path, to: copy)
        try open().add("later")
        for file in ["requests.db", "requests.db-wal", "requests.db-shm"] {
            unlink("\(path)/\(file)")
        }
        try FileManager.default.moveItem(atPath: copy, toPath: path + "/requests.db")
        do {
            let store = try open()
            #expect(try store.keys.count == 300)
            try store.add("other")
            #expect(try store.keys.last == "other")
        }
        // A copy that is none of ours is, and says how to go on.
        let bytes = try directory.read("store/requests.db")
        try open().add("lost")
        try directory.write(bytes, to: "store/requests.db")
        chmod(path + "/requests.db", 0o600)
        let fault = #expect(throws: StoreFault.self) { try open() }
        #expect(fault?.message.contains("request 302, which") == true)
        #expect(fault?.message.contains("remove \(path)/acknowledged") == true)
    }

    @Test("after each writer the acknowledged count is that of the stored requests")
    func mark() throws {
        let host = try open()
        #expect(!FileManager.default.fileExists(atPath: path + "/acknowledged"))
        let client = try SQLiteStore.open(directory: path, as: .client(creates: false))
        for (number, store) in [host, client, client, host].enumerated() {
            try store.add("k\(number)")
            let words = String(decoding: try directory.read("store/acknowledged"), as: UTF8.self)
                .split(separator: " ")
            #expect(words.count == 3 && words[0].count == 32 && Int(words[1]) == number + 1)
        }
        #expect(throws: StoreFault.self) {
            try host.write { store throws(StoreFault) in
                _ = try store.insert(sample(), payload: [])
                throw sudden
            }
        }
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
        try directory.write("nonsense\n", to: "store/acknowledged")
        let fault = #expect(throws: StoreFault.self) { try open() }
        #expect(fault?.kind == .locked)
        let look = #expect(throws: StoreFault.self) {
            try SQLiteStore.open(directory: path, as: .client(creates: false))
        }
        #expect(look?.kind == .corrupt)
        #expect(look?.message.contains("/acknowledged") == true)
    }

    @Test("on a full disk a write is refused as a whole, and there is room again after it")
    func full() async throws {
        guard try ChildProcess.run("unshare", ["-m", "true"]).succeeded else {
            try Test.cancel("a file system cannot be mounted here")
        }
        await #expect(processExitsWith: .exitCode(9)) {
            [path = directory.path("small") as String] in
            try mountSmall(path)
            let directory = path + "/store"
            let store = try SQLiteStore.open(directory: directory, as: .host(OpenStore.host))
            var kept: [String] = []
            var fault: StoreFault?
            for number in 0..<10_000 where fault == nil {
                do {
                    try store.add("k\(number)", payload: Array(repeating: 1, count: 3_000))
                    kept.append("k\(number)")
                } catch let other as StoreFault {
                    fault = other
                }
            }
            try #require(fault?.kind == .full)
            try #require(fault!.message.contains("make room"))
            try #require(kept.count > 10)
            try #require(try store.keys == kept)
            try mountSmall(path, again: "size=4m")
            try store.add("last")
            try #require(try store.keys == kept + ["last"])
            try #require(try SQLiteStore.integrityCheck(directory: directory) == [])
            exit(9)
        }
    }

    @Test("on a full disk a look without a host says what it needs room for")
    func fullForLooks() async throws {
        guard try ChildProcess.run("unshare", ["-m", "true"]).succeeded else {
            try Test.cancel("a file system cannot be mounted here")
        }
        await #expect(processExitsWith: .exitCode(9)) {
            [path = directory.path("small") as String] in
            try mountSmall(path)
            let directory = path + "/store"
            do { try SQLiteStore.open(directory: directory, as: .host(OpenStore.host)).add("a") }
            let file = creat(path + "/rest", 0o600)
            let bytes = [UInt8](repeating: 0, count: 4_096)
            while write(file, bytes, bytes.count) > 0 {}
            for look in [
                { _ = try SQLiteStore.open(directory: directory, as: .client(creates: false)) },
                { _ = try SQLiteStore.quickCheck(directory: directory) },
            ] {
                do {
                    try look()
                    exit(1)
                } catch let fault as StoreFault {
                    try #require(fault.kind == .full)
                    try #require(fault.message.contains("no room for \(directory)/requests.db-shm"))
                    try #require(fault.message.contains("reading needs 32 KiB"))
                }
            }
            exit(9)
        }
    }

    @Test("a directory that cannot be written to is a fault that says so")
    func readOnly() async throws {
        chmod(directory.path, 0o755)
        mkdir(path, 0o700)
        // Root may write everywhere.
        if geteuid() == 0 { chown(path, 65_534, 65_534) }
        await #expect(processExitsWith: .exitCode(9)) { [path = path as String] in
            if geteuid() == 0 {
                try #require(setgid(65_534) == 0 && setuid(65_534) == 0)
            }
            do {
                let store = try SQLiteStore.open(directory: path, as: .host(OpenStore.host))
                try store.add("a")
            }
            chmod(path, 0o500)
            for role in [SQLiteStore.Role.host(OpenStore.host), .client(creates: false)] {
                do {
                    _ = try SQLiteStore.open(directory: path, as: role)
                    exit(1)
                } catch let fault as StoreFault {
                    try #require(fault.kind == .readOnly)
                    try #require(fault.message.contains(path))
                }
            }
            chmod(path, 0o700)
            let store = try SQLiteStore.open(directory: path, as: .host(OpenStore.host))
            try #require(try store.keys == ["a"])
            chmod(path, 0o700)
            exit(9)
        }
    }
}

/// Puts a file system of a mebibyte into a directory, for the calling thread and its process' end.
private func mountSmall(_ path: String, again options: String? = nil) throws {
    typealias Unshare = @convention(c) (Int32) -> Int32
    typealias Mount =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt,
            UnsafePointer<CChar>?
        ) -> Int32
    let unshare = unsafeBitCast(dlsym(nil, "unshare"), to: Unshare.self)
    let mount = unsafeBitCast(dlsym(nil, "mount"), to: Mount.self)
    // <linux/mount.h>: MS_REMOUNT 32, MS_REC 16384, MS_PRIVATE 1 << 18; CLONE_NEWNS 0x20000.
    if let options {
        try #require(mount("tmpfs", path, "tmpfs", 32, options) == 0)
        return
    }
    mkdir(path, 0o700)
    try #require(unshare(0x20000) == 0)
    try #require(mount("none", "/", nil, 16_384 | 1 << 18, nil) == 0)
    try #require(mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0)
}
