// SPDX-License-Identifier: Apache-2.0
internal import CSQLite
import Glibc
internal import Scheduling

/// A prepared statement: its values are put in one after the other, then it is stepped.
final class SQLiteStatement: StoredRow, RowSink {
    private let handle: OpaquePointer
    private unowned let connection: SQLiteConnection
    private let isCommit: Bool
    private var bound: Int32 = 0
    private var bindFault: Int32 = SQLITE_OK
    private var isStepped = false
    /// A buffer for the texts and blobs of one use, so that SQLite allocates no memory for each.
    private let copies = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 1)
    private var copied = 0
    private static let room = 2_048

    init(_ handle: OpaquePointer, of connection: SQLiteConnection, isCommit: Bool = false) {
        self.handle = handle
        self.connection = connection
        self.isCommit = isCommit
    }

    deinit {
        sqlite3_finalize(handle)
        copies.deallocate()
    }

    // MARK: Values

    // The parameters of the last use remain: each use sets all of them.

    func put(_ value: Int64) { bind { sqlite3_bind_int64(handle, $0, value) } }
    func put(_ value: Double) { bind { sqlite3_bind_double(handle, $0, value) } }
    func putNothing() { bind { sqlite3_bind_null(handle, $0) } }

    func put(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            let (copy, isKept) = keep(UnsafeRawBufferPointer(bytes))
            bind { csqlite_bind_text(handle, $0, copy, UInt64(bytes.count), isKept) }
        }
    }

    func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            let (copy, isKept) = keep(bytes)
            bind { csqlite_bind_blob(handle, $0, copy, UInt64(bytes.count), isKept) }
        }
    }

    /// A copy that lasts until the statement's next use; where there is no room, the bytes themselves.
    private func keep(_ bytes: UnsafeRawBufferPointer) -> (UnsafeRawPointer?, Bool) {
        guard let source = bytes.baseAddress, bytes.count <= Self.room - copied else {
            return (bytes.baseAddress, false)
        }
        let copy = copies + copied
        copy.copyMemory(from: source, byteCount: bytes.count)
        copied += bytes.count
        return (UnsafeRawPointer(copy), true)
    }

    private func bind(_ call: (Int32) -> Int32) {
        bound += 1
        let code = call(bound)
        if bindFault == SQLITE_OK { bindFault = code }
    }

    // MARK: Running

    /// True: there is a row. False: it is at its end, and can be used again.
    func step() throws(StoreFault) -> Bool {
        errno = 0
        isStepped = true
        let code = bindFault == SQLITE_OK ? sqlite3_step(handle) : bindFault
        let system = errno
        if code == SQLITE_ROW { return true }
        reset()
        guard code == SQLITE_DONE else { throw connection.failed(code, system, isCommit: isCommit) }
        return false
    }

    /// To its end, without a row.
    func run() throws(StoreFault) {
        while try step() {}
    }

    func reset() {
        if isStepped { sqlite3_reset(handle) }
        isStepped = false
        bound = 0
        copied = 0
        bindFault = SQLITE_OK
    }

    /// Steps of SQLite's machine since the last call: the effort, whatever the machine.
    func steps() -> Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

    // MARK: The row it is at

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func optional(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Returns nil if the value is no text.
    func text(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(
            validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
