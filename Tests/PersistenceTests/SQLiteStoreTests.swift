// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import TestSupport
import Testing

@testable import Persistence

@Suite("A store on disk")
struct SQLiteStoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func host(_ process: Int32 = 71) throws -> SQLiteStore {
        try SQLiteStore.open(
            directory: path, as: .host(HostIdentity(boot: "b", process: process, start: 1)))
    }

    private func client() throws -> SQLiteStore {
        try SQLiteStore.open(directory: path, as: .client(creates: false))
    }

    /// The fault of what must not work.
    private func fault(_ body: () throws -> Void) throws -> StoreFault {
        try #require(#expect(throws: StoreFault.self) { try body() })
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + name)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("is its owner's only")
    func rights() throws {
        let store = try host()
        try store.add("a")
        #expect(try mode("") == 0o700)
        for file in ["/requests.db", "/requests.db-wal", "/requests.db-shm", "/lock"] {
            #expect(try mode(file) == 0o600)
        }
    }

    @Test("a store that was moved is noticed where a filter denies statx(2), too")
    func filtered() throws {
        let path = path
        var fault: StoreFault?
        try onFilteredThread {
            let store = try SQLiteStore.open(
                directory: path, as: .host(HostIdentity(boot: "b", process: 71, start: 1)))
            try store.add("a")
            try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
            do throws(StoreFault) {
                _ = try store.write { (transaction) throws(StoreFault) in
                    try transaction.setValue("a", [1])
                }
            } catch {
                fault = error
            }
        }
        #expect(fault?.kind == .gone)
    }

    /// Runs something on a thread of its own that may not call statx(2).
    private func onFilteredThread(_ body: @escaping () throws -> Void) throws {
        #if arch(x86_64)
            let statx: UInt32 = 332
        #else
            let statx: UInt32 = 291
        #endif
        // seccomp(2), linux/filter.h: the number of the call; EPERM for that one, or else all is well.
        struct Step {
            var code: UInt16
            var yes: UInt8 = 0
            var no: UInt8 = 0
            var value: UInt32
        }
        struct Program {
            var count: UInt16
            var steps: UnsafeMutablePointer<Step>
        }
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        nonisolated(unsafe) let control = unsafeBitCast(dlsym(nil, "prctl"), to: Control.self)
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) var thrown: (any Error)?
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            defer { isOver.signal() }
            var steps = [
                Step(code: 0x20, value: 0), Step(code: 0x15, no: 1, value: statx),
                Step(code: 0x06, value: 0x0005_0001), Step(code: 0x06, value: 0x7FFF_0000),
            ]
            let isFiltered = steps.withUnsafeMutableBufferPointer { steps in
                var program = Program(count: UInt16(steps.count), steps: steps.baseAddress!)
                return withUnsafeMutablePointer(to: &program) {
                    // PR_SET_NO_NEW_PRIVS; PR_SET_SECCOMP, SECCOMP_MODE_FILTER.
                    control(38, 1, 0, 0, 0) == 0
                        && control(22, 2, UInt(bitPattern: $0), 0, 0) == 0
                }
            }
            do {
                try #require(isFiltered)
                try body()
            } catch {
                thrown = error
            }
        }
        isOver.wait()
        if let thrown { throw thrown }
    }

    @Test("a limit of file sizes is a store that is full, and ends nothing")
    func fileSizes() throws {
        let store = try host()
        try store.add("a")
        // Threads of Dispatch block signals; those of others do not.
        var (signal, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signal)
        sigaddset(&signal, SIGXFSZ)
        pthread_sigmask(SIG_UNBLOCK, &signal, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        var tight = before
        tight.rlim_cur = 65_536
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &tight)
        var fault: StoreFault?
        var count = 1
        do throws(StoreFault) {
            while count < 10_000 {
                _ = try store.write { (transaction) throws(StoreFault) in
                    try transaction.setValue("\(count)", [UInt8](repeating: 1, count: 2_000))
                }
                count += 1
            }
        } catch {
            fault = error
        }
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        #expect(fault?.kind == .full)
        #expect(fault?.message.contains("ulimit -f") == true, "\(String(describing: fault))")
        try store.add("b")
        #expect(try store.keys == ["a", "b"])
        let kept = try store.read { (transaction) throws(StoreFault) in
            try transaction.value("\(count - 1)")
        }
        #expect(kept?.count == 2_000)
    }

    @Test("a directory below a name that is not UTF-8 is refused, and no other made in its place")
    func oddDirectory() throws {
        let odd = Array((directory.path("u")).utf8) + [0xFF, 0]
        #expect(
            odd.withUnsafeBufferPointer {
                mkdir(UnsafeRawPointer($0.baseAddress!).assumingMemoryBound(to: CChar.self), 0o700)
            } == 0)
        let link = directory.path("link")
        #expect(
            odd.withUnsafeBufferPointer {
                symlink(
                    UnsafeRawPointer($0.baseAddress!).assumingMemoryBound(to: CChar.self), link)
            } == 0)
        let refusal = try fault {
            _ = try SQLiteStore.open(directory: link + "/store", as: .client(creates: true))
        }
        #expect(refusal.kind == .denied)
        #expect(refusal.message.contains("is not UTF-8"))
        #expect(!FileManager.default.fileExists(atPath: directory.path("u\u{FFFD}")))
    }

    @Test("a directory's name may begin with a combining mark")
    func combiningMark() throws {
        let place = directory.path("\u{301}up/\u{301}store")
        try FileManager.default.createDirectory(
            atPath: directory.path("\u{301}up"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #expect(OpenFile.parent(of: place) == directory.path("\u{301}up"))
        let store = try SQLiteStore.open(directory: place, as: .client(creates: true))
        try store.add("a")
        let file = directory.path("\u{301}copy.db")
        try SQLiteStore.backup(directory: place, to: file)
        #expect(FileManager.default.fileExists(atPath: file))
    }

    @Test("a second host is refused, and told which one is first")
    func twoHosts() throws {
        var store: SQLiteStore? = try host(4_711)
        let refusal = try fault { _ = try host(4_712) }
        #expect(refusal.kind == .locked)
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        #expect(refusal.message.contains("process number 4711, since \(year)-"))
        #expect(refusal.message.contains(path))
        try store?.add("a")
        store = nil
        try host(4_713).add("b")
    }

    @Test("commands submit beside a host, which sees it")
    func clients() throws {
        #expect(try fault { _ = try client() }.kind == .absent)
        #expect(!FileManager.default.fileExists(atPath: path))
        let store = try host()
        try store.add("a")
        let before = try store.dataVersion()
        #expect(try store.dataVersion() == before)
        let other = try client()
        try other.add("b")
        #expect(try store.dataVersion() != before)
        #expect(try store.keys == ["a", "b"])
        try store.add("c")
        #expect(try other.keys == ["a", "b", "c"])
    }

    @Test("a command makes a store where it is asked to")
    func creatingClient() throws {
        let store = try SQLiteStore.open(directory: path, as: .client(creates: true))
        try store.add("a")
        #expect(try host().keys == ["a"])
        #expect(
            try fault {
                _ = try SQLiteStore.open(
                    directory: directory.path("no/store"), as: .client(creates: true))
            }.message.contains("make the directory above it first"))
    }

    @Test("the file that wakes a host gets new times")
    func wake() throws {
        #expect(throws: StoreFault.self) { try SQLiteStore.touchWake(directory: path) }
        _ = try host()
        try SQLiteStore.touchWake(directory: path)
        let file = path + "/wake"
        let old = Date(timeIntervalSince1970: 1_000)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file)
        try SQLiteStore.touchWake(directory: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(try #require(attributes[.modificationDate] as? Date) > old)
        #expect(try mode("/wake") == 0o600)
    }

    @Test("a lock whose file is deleted or replaced still keeps a second host out")
    func deletedLock() throws {
        let store = try host(4_711)
        for replaced in [false, true] {
            unlink(path + "/lock")
            if replaced {
                try directory.write("", to: "store/lock")
                chmod(path + "/lock", 0o600)
            }
            let refusal = try fault { _ = try host(4_712) }
            #expect(refusal.kind == .locked)
            #expect(refusal.message.contains(path))
            #expect(try SQLiteStore.host(of: path) != nil)
        }
        try store.add("a")
        #expect(try client().keys == ["a"])
    }

    @Test("a child that outlives its host does not keep the store")
    func child() throws {
        // It has copies of the host's descriptors, of which these are some more.
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        try withExtendedLifetime(host()) {
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(name)")
                guard target == path || target == path + "/lock", let fd = Int32(name) else {
                    continue
                }
                copies.append(fcntl(fd, F_DUPFD_CLOEXEC, 0))
            }
        }
        #expect(copies.count >= 2)
        #expect(try SQLiteStore.host(of: path) == nil)
        try host(4_712).add("a")
    }

    @Test("a client that makes the tables is no host, and is waited for")
    func waitedFor() async throws {
        mkdir(path, 0o700)
        var making = try DirectoryLock(StoreDirectory(path, creating: false))
        #expect(making != nil)
        #expect(try SQLiteStore.host(of: path) == nil)
        let others = [
            SQLiteStore.Role.host(OpenStore.host), .client(creates: true), .client(creates: true),
        ].map { role in
            Task.detached { [path = path as String] in
                try SQLiteStore.open(directory: path, as: role).add("\(role)")
            }
        }
        // Whether they have come by now or not, they end only after this.
        making = nil
        for other in others { try await other.value }
        #expect(try host().keys.count == 3)
    }

    @Test("a directory that others may write to is refused")
    func openDirectory() throws {
        _ = try host()
        for mode in [0o770, 0o707] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let refusal = try fault { _ = try host() }
            #expect(refusal.kind == .denied)
            #expect(refusal.message.contains("chmod go-w \(path)"))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        _ = try host()
    }

    @Test("what belongs to another user is refused", .enabled(if: geteuid() == 0, "wants root"))
    func otherOwner() throws {
        _ = try host()
        chown(path + "/requests.db", 65_534, 65_534)
        #expect(try fault { _ = try host() }.message.contains("belongs to user 65534"))
        chown(path + "/requests.db", 0, 0)
        chown(path, 65_534, 65_534)
        #expect(try fault { _ = try host() }.kind == .denied)
    }

    @Test("a link in place of a file is refused, and what it leads to stays as it is")
    func links() throws {
        _ = try host()
        for name in ["requests.db", "lock"] {
            let file = "\(path)/\(name)"
            let target = try directory.write("precious", to: "target")
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createSymbolicLink(
                atPath: file, withDestinationPath: target)
            #expect(try fault { _ = try host() }.kind == .denied)
            #expect(try directory.read("target") == Array("precious".utf8))
            try FileManager.default.removeItem(atPath: file)
            _ = try? host()
        }
        let file = path + "/requests.db"
        try FileManager.default.linkItem(atPath: file, toPath: directory.path("another name"))
        #expect(try fault { _ = try host() }.kind == .denied)
    }

    @Test("a link to the directory is followed, once")
    func linkedDirectory() throws {
        try host().add("a")
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let store = try SQLiteStore.open(directory: link, as: .client(creates: false))
        #expect(try store.keys == ["a"])
        #expect(store.directory == URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    }

    @Test("a newer version's store is refused and stays as it is")
    func newer() throws {
        try host().add("a")
        try change("PRAGMA user_version = 99")
        let before = try directory.read("store/requests.db")
        let refusal = try fault { _ = try host() }
        #expect(refusal.kind == .newer)
        #expect(refusal.message.contains("version 99"))
        #expect(refusal.message.contains("up to \(SQLiteSchema.version)"))
        #expect(try directory.read("store/requests.db") == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: path).sorted()
                .filter { $0 != "acknowledged" } == ["lock", "requests.db"])
        #expect(try fault { _ = try SQLiteStore.quickCheck(directory: path) } == refusal)
        #expect(try fault { _ = try SQLiteStore.integrityCheck(directory: path) } == refusal)
    }

    @Test("what is not a store of ours is refused and stays as it is")
    func foreign() throws {
        try host().add("a")
        let ours = try directory.read("store/requests.db")
        try change("PRAGMA application_id = 7")
        let another = try directory.read("store/requests.db")
        try change("PRAGMA application_id = 0; PRAGMA user_version = 0")
        let nameless = try directory.read("store/requests.db")
        for bytes in [another, nameless, Array("no database, and long enough to be one".utf8)] {
            try directory.write(bytes, to: "store/requests.db")
            let refusal = try fault { _ = try host() }
            #expect(refusal.kind == .corrupt)
            #expect(refusal.message.contains("requests.db"))
            #expect(refusal.message.contains("restore a backup"))
            #expect(try directory.read("store/requests.db") == bytes)
            if bytes != another, bytes != nameless {
                #expect(try SQLiteStore.quickCheck(directory: path) != [])
                continue
            }
            #expect(refusal.message.contains("is not a store of Curfew"))
            #expect(try fault { _ = try SQLiteStore.quickCheck(directory: path) } == refusal)
            #expect(try fault { _ = try SQLiteStore.integrityCheck(directory: path) } == refusal)
        }
        try directory.write(ours, to: "store/requests.db")
        #expect(try host().keys == ["a"])
    }

    private func change(_ text: String) throws {
        let connection = try SQLiteConnection(path + "/requests.db", for: .writing)
        try connection.settle()
        try connection.run(text)
    }

    @Test("an empty file, left by a crash while the store was made, is used")
    func emptyFile() throws {
        _ = try host()
        try directory.write([], to: "store/requests.db")
        let store = try host()
        #expect(try store.keys == [])
        try store.add("a")
        #expect(try store.keys == ["a"])
    }

    @Test("an empty file where there were requests is no new store, and all of it stays as it is")
    func emptied() throws {
        try host().add("a")
        try SQLiteStore.touchWake(directory: path)
        try directory.write([], to: "store/requests.db")
        let roles: [SQLiteStore.Role] = [
            .host(OpenStore.host), .client(creates: true), .client(creates: false),
        ]
        for role in roles {
            let refusal = try fault { _ = try SQLiteStore.open(directory: path, as: role) }
            #expect(refusal.kind == .corrupt)
            #expect(refusal.message.contains("\(path)/requests.db is empty, and \(path)/wake"))
        }
        #expect(throws: StoreFault.self) { try SQLiteStore.quickCheck(directory: path) }
        #expect(OpenFile.size(of: path + "/requests.db") == 0)
        // What its message says to do.
        for file in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.removeItem(atPath: "\(path)/\(file)")
        }
        #expect(try host().keys == [])
    }

    @Test(
        "a file that is not there, where a log or a wake file says that it was, is no new store",
        arguments: ["requests.db-wal", "wake"])
    func missing(_ trace: String) throws {
        try host().add("a")
        try FileManager.default.removeItem(atPath: path + "/requests.db")
        try directory.write("what was acknowledged", to: "store/\(trace)")
        for creates in [true, false] {
            let refusal = try fault {
                _ = try SQLiteStore.open(directory: path, as: .client(creates: creates))
            }
            #expect(refusal.kind == .gone)
            #expect(refusal.message.contains(trace))
        }
        #expect(try fault { _ = try host() }.kind == .gone)
        #expect(try directory.read("store/\(trace)") == Array("what was acknowledged".utf8))
        #expect(!FileManager.default.fileExists(atPath: path + "/requests.db"))
    }

    @Test("a limit of open files is named, with its number and how to raise it")
    func descriptors() {
        for code in [EMFILE, ENFILE] {
            let faults = [
                OpenFile.fault(code, "the store's directory cannot be opened"),
                SQLiteFault("/a/store", code: 14, errno: code).storeFault,
            ]
            for fault in faults {
                #expect(fault.kind == .io)
                #expect(
                    fault.message.contains(
                        code == EMFILE
                            ? "may have \(sysconf(Int32(_SC_OPEN_MAX))) files open" : "fs.file-max")
                )
            }
        }
    }

    @Test("a file system that lets nothing be written any more is told apart from a broken one")
    func readOnlyDisk() {
        for code in [10 | 3 << 8, 10 | 4 << 8, 10 | 6 << 8] as [Int32] {  // write, fsync, truncate
            let fault = SQLiteFault("/a/store", code: code, errno: EROFS)
            #expect(fault.storeFault.kind == .readOnly)
            #expect(fault.takesTrust)
            #expect(SQLiteFault("/a/store", code: code, errno: EIO).storeFault.kind == .io)
        }
    }

    @Test(
        "a file that is deleted or replaced is noticed before anything is written",
        arguments: [
            "requests.db", "requests.db-wal",
        ])
    func gone(_ name: String) throws {
        let file = "\(path)/\(name)"
        let store = try host()
        try store.add("a")
        let aside = directory.path("aside")
        try FileManager.default.moveItem(atPath: file, toPath: aside)
        #expect(try fault { try store.add("b") }.kind == .gone)
        try directory.write(try directory.read("aside"), to: "store/\(name)")
        let refusal = try fault { try store.add("b") }
        #expect(refusal.kind == .gone)
        #expect(refusal.message.contains(file))
        #expect(try fault { _ = try store.keys }.kind == .gone)
        // Put back, it is what it was.
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: aside, toPath: file)
        try store.add("c")
        #expect(try store.keys == ["a", "c"])
    }

    @Test("a file that goes while something is written is noticed before it is acknowledged")
    func goneInBetween() throws {
        let store = try host()
        try store.add("a")
        let gone = try fault {
            try store.write { _ in _ = unlink("\(path)/requests.db") }
        }
        #expect(gone.kind == .unknown)
        #expect(try fault { try store.add("b") }.kind == .gone)
    }

    @Test("an error of COMMIT leaves open whether it was stored, where its last page may be there")
    func unknown() {
        typealias Case = (code: Int32, errno: Int32, kind: StoreFault.Kind, takesTrust: Bool)
        let (write, sync, shared) =
            (10 | 3 << 8, 10 | 4 << 8, 10 | 19 << 8) as (Int32, Int32, Int32)
        let cases: [Case] = [
            (sync, EIO, .unknown, true), (sync, ENOSPC, .unknown, true),
            (sync, EDQUOT, .unknown, true), (sync, EROFS, .unknown, true),
            (shared, ENOSPC, .unknown, true), (7, 0, .unknown, true),
            (write, EIO, .unknown, true), (write, ENOSPC, .full, false),
            (write, EDQUOT, .full, false), (write, EROFS, .readOnly, true), (13, 0, .full, false),
        ]
        for (code, errno, kind, takesTrust) in cases {
            let fault = SQLiteFault("/a/store", code: code, errno: errno, isCommit: true)
            #expect(fault.storeFault.kind == kind, "\(code) \(errno)")
            #expect(fault.takesTrust == takesTrust, "\(code) \(errno)")
            #expect(
                fault.storeFault.message.contains("the same key") == (kind == .unknown)
                    && fault.storeFault.message.contains("nothing was changed")
                        == (kind != .unknown)
            )
            let before = SQLiteFault("/a/store", code: code, errno: errno)
            #expect(before.storeFault.kind != .unknown, "\(code) \(errno)")
        }
    }

    @Test("a file system whose sync fails for want of room is not believed afterwards")
    func failedSync() {
        #expect(SQLiteFault("/a/store", code: 10 | 4 << 8, errno: ENOSPC).takesTrust)
        #expect(!SQLiteFault("/a/store", code: 10 | 3 << 8, errno: ENOSPC).takesTrust)
    }

    @Test(
        "has a log and writes each commit to the disk, for every client, also after a move")
    func settings() throws {
        try host().add("a")
        // As SQLite copies it.
        let copy = directory.path("copy")
        do {
            let connection = try SQLiteConnection(path + "/requests.db", for: .writing)
            try connection.run("VACUUM INTO '\(copy)'")
        }
        let bytes = try directory.read("copy")
        #expect(Array(bytes[18...19]) == [1, 1])
        for role in [SQLiteStore.Role.host(OpenStore.host), .client(creates: false)] {
            try FileManager.default.removeItem(atPath: path)
            mkdir(path, 0o700)
            try directory.write(bytes, to: "store/requests.db")
            chmod(path + "/requests.db", 0o600)
            #expect(
                try SQLiteStore.quickCheck(directory: path).first?.contains("instead of a log")
                    == true)
            let store = try SQLiteStore.open(directory: path, as: role)
            for round in 0..<2 {
                let connection = try #require(store.transaction?.connection)
                #expect(try connection.hasLog)
                #expect(try connection.number("PRAGMA synchronous") == 2)
                if round == 0 {
                    _ = connection.failed(10 | 4 << 8)  // SQLITE_IOERR_FSYNC
                    try store.add("b")
                    #expect(store.transaction?.connection !== connection)
                }
            }
            #expect(try store.keys == ["a", "b"])
            #expect(try SQLiteStore.quickCheck(directory: path) == [])
        }
    }

    @Test("after an error of the disk the database is opened again")
    func distrust() throws {
        let store = try host()
        try store.add("a")
        let first = try #require(store.transaction?.connection)
        #expect(first.failed(10 | 4 << 8).kind == .io)  // SQLITE_IOERR_FSYNC
        try store.add("b")
        #expect(store.transaction?.connection !== first)
        #expect(try store.keys == ["a", "b"])
        // A full disk is not the file's fault.
        let second = try #require(store.transaction?.connection)
        #expect(second.failed(13).kind == .full)
        try store.add("c")
        #expect(store.transaction?.connection === second)
    }

    @Test("while another process writes for too long, a command is told so")
    func busy() throws {
        let store = try host()
        let other = try client()
        let connection = try #require(other.transaction?.connection)
        try connection.run("PRAGMA busy_timeout = 1")
        try store.write { _ in
            let refusal = #expect(throws: StoreFault.self) { try other.add("b") }
            #expect(refusal?.kind == .busy)
            #expect((try? other.keys) == [])
        }
        try other.add("c")
    }

    @Test("a child of fork(2) cannot use its parent's store, and leaves it intact")
    func fork() async throws {
        _ = try host()
        await #expect(processExitsWith: .exitCode(9)) { [path = path as String] in
            let store = try SQLiteStore.open(directory: path, as: .client(creates: false))
            let fork = unsafeBitCast(
                dlsym(nil, "fork"), to: (@convention(c) () -> Int32).self)
            let child = fork()
            if child == 0 {
                do {
                    try store.add("b")
                    _exit(1)
                } catch let fault as StoreFault {
                    _exit(fault.kind == .denied ? 7 : 2)
                } catch {}
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            try #require(status >> 8 == 7)
            try store.add("a")
            exit(9)
        }
        #expect(try host().keys == ["a"])
    }

    @Test("what was acknowledged is there after kill -9, and the place of the host is free")
    func killed() async throws {
        for round in 0..<5 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let store = try SQLiteStore.open(directory: path, as: .host(.current()))
                let start = try store.keys.count
                for number in start..<start + 20 { try store.add("k\(number)") }
                try store.write { transaction throws(StoreFault) in
                    _ = try transaction.insert(sample { $0.description.key = "lost" }, payload: [1])
                    kill(getpid(), SIGKILL)
                }
            }
            #expect(try host().keys == (0..<(round + 1) * 20).map { "k\($0)" })
            #expect(try SQLiteStore.integrityCheck(directory: path) == [])
        }
    }

    @Test("forgets a cached request that another client has changed, or that was rolled back")
    func remembered() throws {
        let store = try host()
        let other = try SQLiteStore.open(directory: path, as: .client(creates: false))
        func change(_ store: SQLiteStore, _ to: Int64) throws(StoreFault) {
            try store.write { store throws(StoreFault) in
                guard var request = try store.request(RequestID(rawValue: 1)) else { return }
                request.changedAt = to
                try store.update(request)
            }
        }
        func seen(_ store: SQLiteStore) throws(StoreFault) -> Int64? {
            try store.write { store throws(StoreFault) in
                try store.request(RequestID(rawValue: 1))?.changedAt
            }
        }
        try store.add("a", payload: [7])
        for round in 1...4 as ClosedRange<Int64> {
            try change(store, 10 * round)
            #expect(try seen(store) == 10 * round)
            // One that is not written, then another one's.
            #expect(throws: StoreFault.self) {
                try store.write { transaction throws(StoreFault) in
                    var request = try transaction.request(RequestID(rawValue: 1))!
                    request.changedAt = 3
                    try transaction.update(request)
                    throw StoreFault(.busy, "as the test wants it")
                }
            }
            #expect(try seen(store) == 10 * round)
            try change(other, 10 * round + 1)
            #expect(try seen(store) == 10 * round + 1)
        }
        let payload = try store.write { store throws(StoreFault) in
            try store.payload(of: RequestID(rawValue: 1))
        }
        #expect(payload == [7])
    }

    @Test(
        "a journal that is pruned to nothing takes no counter along", arguments: [true, false],
        [true, false])
    func pruned(appends: Bool, hasHistory: Bool) throws {
        let store = try host()
        try store.write { store throws(StoreFault) in
            for _ in 0..<3 {
                let over = sample { $0.state = hasHistory ? .finished : .pending }
                let id = try store.insert(over, payload: [])
                try store.append(JournalEntry(.submitted, at: 1, request: id))
            }
            _ = try store.insert(sample(), payload: [])
        }
        try store.write { store throws(StoreFault) in
            if appends { try store.append(JournalEntry(.submitted, at: 1)) }
            #expect(try store.prune(before: .max, keeping: 0, limit: 100) == (hasHistory ? 3 : 0))
            #expect(try store.journal(after: 0, of: nil, limit: 9) == [])
        }
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
        // Somebody who knows nothing of it yet goes on with the numbers.
        let other = try SQLiteStore.open(directory: path, as: .client(creates: false))
        try other.write { store throws(StoreFault) in
            #expect(
                try store.pendingCount(.kind(sample().description.kind)) == (hasHistory ? 1 : 4))
            #expect(try store.insert(sample(), payload: []).rawValue == 5)
            try store.append(JournalEntry(.submitted, at: 2))
            #expect(
                try store.journal(after: 0, of: nil, limit: 9).map(\.sequence) == [
                    appends ? 5 : 4
                ])
        }
        #expect(try SQLiteStore.integrityCheck(directory: path) == [])
    }
}

extension SQLiteStore {
    /// Puts a request with a key in.
    func add(_ key: String, payload: [UInt8] = []) throws(StoreFault) {
        try write { store throws(StoreFault) in
            _ = try store.insert(sample { $0.description.key = key }, payload: payload)
        }
    }

    var keys: [String] {
        get throws(StoreFault) {
            try read { store throws(StoreFault) in
                try store.requests(RequestFilter(limit: .max)).map { $0.description.key ?? "" }
            }
        }
    }
}
