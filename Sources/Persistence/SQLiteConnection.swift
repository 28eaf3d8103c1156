// SPDX-License-Identifier: Apache-2.0
internal import CSQLite
internal import CSystem
import Glibc
internal import Scheduling

/// A connection to a database, with its settings and its prepared statements.
final class SQLiteConnection {
    enum Access { case writing, looking }

    let path: String
    /// False after an error that leaves memory and disk possibly different. The log is then left
    /// unchanged, for the next connection to read from the disk: it has what the database may lack.
    private(set) var isTrusted = true {
        didSet { if !isTrusted { keepLog() } }
    }
    private let handle: OpaquePointer
    /// Pages in the log after the last commit.
    private let logPages: UnsafeMutablePointer<Int32>
    /// Pages of a log that is brought over.
    private var longLog = Int32.max
    private var statements = [SQLiteStatement?](repeating: nil, count: SQLiteQuery.allCases.count)

    /// Opens an existing database.
    init(_ path: String, for access: Access) throws(StoreFault) {
        self.path = path
        let mode = access == .writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &handle, mode | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            let fault = SQLiteFault(
                path, code: handle.map(sqlite3_extended_errcode) ?? code,
                errno: handle.map(sqlite3_system_errno) ?? 0)
            sqlite3_close_v2(handle)
            throw fault.storeFault
        }
        self.handle = handle
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
        // In place of the hook by which SQLite shortens the log.
        sqlite3_wal_hook(
            handle,
            { pages, _, _, count in
                pages?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, logPages)
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 2_000)
        _ = csqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = csqlite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Until it is known to be ours, what others left in a log stays there.
        if OpenFile.size(of: path + "-wal") > 0 { keepLog() }
    }

    deinit {
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        statements.removeAll()
        // It may bring the log over.
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// Its changes go into a log beside it. A copy that was made by other means than `backup` may be a
    /// database that writes its changes into its own file; then a request that was acknowledged can
    /// die with the power, because SQLite does not bring the end of such a change to the disk.
    var hasLog: Bool {
        get throws(StoreFault) { try texts("PRAGMA journal_mode") == ["wal"] }
    }

    /// Switches the database to write-ahead logging, also for later connections. Returns false if
    /// the file system has no memory shared between processes, which logging needs.
    func useLog() throws(StoreFault) -> Bool {
        try texts("PRAGMA journal_mode = WAL") == ["wal"]
    }

    /// The settings of a database of ours. 4 MiB of cache; its log is brought over at 16 MiB, in few
    /// large steps, and cut where it grew beyond 32 MiB.
    func settle() throws(StoreFault) {
        let pageSize = max(512, try number("PRAGMA page_size"))
        try run(
            """
            PRAGMA cell_size_check = ON;
            PRAGMA synchronous = FULL;
            PRAGMA mmap_size = 0;
            PRAGMA cache_size = -4096;
            PRAGMA temp_store = MEMORY;
            PRAGMA journal_size_limit = 33554432;
            """)
        longLog = Int32(16_777_216 / pageSize)
        // 2 is FULL: each commit is brought to the disk before it is acknowledged.
        guard try number("PRAGMA synchronous") == 2 else {
            throw StoreFault(
                .denied,
                "this SQLite does not bring the changes of \(path) to the disk; nothing was changed: use one that knows PRAGMA synchronous"
            )
        }
        _ = csqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    }

    /// Checkpoints the log into the database and truncates the log, so that the next entries get
    /// new blocks. Returns false if other connections use the log.
    func beginLogAnew() throws(StoreFault) -> Bool {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        switch code & 0xFF {
        case SQLITE_OK: return true
        case SQLITE_BUSY: return false
        default: throw failed(code)
        }
    }

    /// Brings the log over into the database where it has grown long. SQLite would do the same after a
    /// commit, and keep an error to itself: what was written into the database then is not on the
    /// disk, and would be taken for written from the next time on.
    func shortenLog() {
        guard logPages.pointee >= longLog else { return }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        switch code & 0xFF {
        case SQLITE_OK, SQLITE_BUSY: break
        default: isTrusted = false
        }
    }

    /// The data version, which changes when any connection commits, this one included.
    var dataVersion: UInt32? {
        var version: UInt32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }

    /// Marks the connection as unusable.
    func distrust() { isTrusted = false }

    /// Makes closing keep the log.
    private func keepLog() { _ = csqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }

    /// Runs statements of which no row is wanted.
    func run(_ text: String) throws(StoreFault) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        if code != SQLITE_OK { throw failed(code) }
    }

    /// A statement that is used once.
    func prepare(_ text: String) throws(StoreFault) -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, text, -1, 0, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failed(code) }
        return SQLiteStatement(statement, of: self)
    }

    /// A statement that is used again and again: at its beginning, without values.
    func statement(_ query: SQLiteQuery) throws(StoreFault) -> SQLiteStatement {
        if let statement = statements[query.rawValue] { return statement }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            self.handle, query.text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw failed(code) }
        let statement = SQLiteStatement(handle, of: self, isCommit: query == .commit)
        statements[query.rawValue] = statement
        return statement
    }

    /// The number in the first row's first column.
    func number(_ text: String) throws(StoreFault) -> Int64 {
        let statement = try prepare(text)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The texts of the first column.
    func texts(_ text: String) throws(StoreFault) -> [String] {
        let statement = try prepare(text)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0) ?? "") }
        return texts
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
    /// Rows that the last statement changed, without those that follow from it.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// The header of the file has a format of writing that this SQLite does not know, so that it only reads
    /// the file (https://www.sqlite.org/fileformat2.html, "File format version numbers").
    private var isForeign: Bool {
        // Opening the file once more would release the locks of this process when it is closed.
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let read = file?.pointee.pMethods?.pointee.xRead else {
            return false
        }
        var format: UInt8 = 0
        return read(file, &format, 1, 18) == SQLITE_OK && format > 2
    }

    /// Translates a failed call. `system` is errno after the call, for errors that SQLite does not
    /// record: a commit on a disk that became read-only, or a quota that is used up.
    func failed(
        _ code: Int32, _ system: Int32 = 0, isCommit: Bool = false
    ) -> StoreFault {
        // SQLite does not keep EFBIG; the signal that comes with it tells.
        let kept = csys_is_file_size_signal_raised() ? EFBIG : sqlite3_system_errno(handle)
        let isTelling = kept == 0 && [EROFS, ENOSPC, EDQUOT].contains(system)
        let fault = SQLiteFault(
            path, code: code, errno: isTelling ? system : kept, isCommit: isCommit,
            isForeign: code == SQLITE_READONLY && isForeign,
            text: String(cString: sqlite3_errmsg(handle)))
        if fault.takesTrust { isTrusted = false }
        // A connection that was opened read-only stays so, even if the disk becomes writable.
        if code & 0xFF == SQLITE_READONLY { isTrusted = false }
        return fault.storeFault
    }
}
