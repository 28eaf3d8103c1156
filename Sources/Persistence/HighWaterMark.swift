// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import Scheduling

/// The last numbers that a store has acknowledged, in a file of their own beside its database.
///
/// If a log is lost or damaged, SQLite continues with the rest, as if there had never been more:
/// acknowledged requests would be gone, and their ids be issued again. Every process writes this
/// file after each commit that issued an id. The file is not synced each time, so that it costs no
/// wait: its numbers may be a little old, and are never too large.
final class HighWaterMark {
    struct Numbers: Equatable {
        var request: Int64 = 0
        /// The last entry of the journal.
        var entry: Int64 = 0
    }

    /// The name of the value that tells a database from its copies. A backup has none, and is given
    /// another one when it is first used: what the file says of the database before is not about it.
    static let valueName = "store"
    /// The first version whose counters are where they are today.
    static let firstVersion = 3

    private let place: StoreDirectory
    private var written: Numbers
    /// The content of the file, always of the same length, so that a write replaces all of the last
    /// one.
    private var line: [UInt8]
    /// -1: nothing was acknowledged yet, or the file could not be opened.
    private var fd: Int32 = -1

    private init(_ place: StoreDirectory, _ store: String, _ numbers: Numbers) {
        self.place = place
        let zeros = String(repeating: "0", count: Self.digits)
        line = Array("\(store) \(zeros) \(zeros)\n".utf8)
        written = numbers
    }

    deinit { if fd >= 0 { close(fd) } }

    // MARK: Writing

    /// Writes down that these numbers are acknowledged. A failure costs nothing but that a loss would
    /// not be noticed.
    func raise(to numbers: Numbers) {
        guard numbers != written else { return }
        var isNew = false
        if fd < 0 {
            fd = open(place.mark, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
            isNew = fd < 0 && errno == ENOENT
            if isNew {
                fd = open(place.mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            }
            guard fd >= 0 else { return }
        }
        // Two processes may write in the other order than they have committed in: then the file is
        // older than it could be by one commit.
        put(numbers.entry, before: line.count - 1)
        put(numbers.request, before: line.count - 2 - Self.digits)
        guard pwrite(fd, line, line.count, 0) == line.count else { return }
        written = numbers
        if isNew {
            fsync(fd)
            try? OpenFile.sync(place.path, O_RDONLY | O_DIRECTORY)
        }
    }

    /// The digits of the largest Int64.
    private static let digits = 19

    private func put(_ number: Int64, before end: Int) {
        var left = number
        for place in (end - Self.digits..<end).reversed() {
            line[place] = UInt8(ascii: "0") + UInt8(left % 10)
            left /= 10
        }
    }

    // MARK: Looking

    /// Throws `.corrupt` where something is missing that was acknowledged.
    static func check(
        _ place: StoreDirectory, _ connection: SQLiteConnection
    ) throws(StoreFault) {
        guard let missing = try missing(place, connection) else { return }
        throw StoreFault(
            .corrupt,
            "\(missing); nothing was changed: restore the log or a backup; to continue without what is missing, remove \(place.mark)"
        )
    }

    /// The mark of a database, which is given a name where it has none.
    convenience init(
        _ place: StoreDirectory, _ connection: SQLiteConnection
    ) throws(StoreFault) {
        var (store, numbers) = try Self.state(of: connection)
        if store == nil {
            try connection.run(
                "INSERT OR IGNORE INTO value VALUES ('\(Self.valueName)', randomblob(16))")
            // Into the database itself: without its log it would be taken for a copy.
            _ = try connection.beginLogAnew()
            (store, numbers) = try Self.state(of: connection)
        }
        self.init(place, store ?? "", numbers)
    }

    /// Returns the acknowledged entries that the database lacks, for people; nil if none is known
    /// to be missing.
    static func missing(
        _ place: StoreDirectory, _ connection: SQLiteConnection
    ) throws(StoreFault) -> String? {
        var last: Numbers?
        while true {
            // First: what is committed after that can only be more.
            guard let (store, mark) = try read(place) else { return nil }
            let (known, numbers) = try state(of: connection)
            guard store == known else { return nil }
            var lost: [String] = []
            if let range = range(numbers.request, mark.request, "request") { lost.append(range) }
            if let range = range(numbers.entry, mark.entry, "entry", "entries") {
                lost.append(range + " of the journal")
            }
            if lost.isEmpty { return nil }
            // A file that was read during a write matches only once.
            if mark == last {
                return
                    "\(lost.joined(separator: " and ")), which \(place.mark) says were acknowledged, cannot be found: the log \(place.journal) is missing or damaged"
            }
            last = mark
        }
    }

    private static func range(
        _ have: Int64, _ want: Int64, _ one: String, _ many: String? = nil
    ) -> String? {
        if have >= want { return nil }
        return have + 1 == want
            ? "\(one) \(want)" : "\(many ?? one + "s") \(have + 1) to \(want)"
    }

    /// The name of a database, and the last numbers that are in it.
    private static func state(
        of connection: SQLiteConnection
    ) throws(StoreFault) -> (store: String?, numbers: Numbers) {
        let transaction = SQLiteTransaction(connection)
        try transaction.begin(writing: false)
        defer { transaction.rollBack() }
        let counters = try transaction.counted()
        let store = try transaction.value(valueName)
        return (store.map(hexadecimal), counters.acknowledged)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    private static func unreadable(
        _ place: StoreDirectory, _ code: Int32, _ what: String
    ) -> StoreFault {
        let isOfPath = [EACCES, EPERM, EISDIR, ELOOP].contains(code)
        return OpenFile.fault(
            code, "\(place.mark), which says what the store has acknowledged, cannot be \(what)",
            isOfPath
                ? "let its owner read it (`chmod 600 \(place.mark)`), or move away what is no file, and check the requests with `\(StoreDirectory.check(ofDatabase: place.database))`"
                : ""
        )
    }

    /// Returns the content of the file; nil if nothing was acknowledged, or the file was removed.
    private static func read(
        _ place: StoreDirectory
    ) throws(StoreFault) -> (store: String, numbers: Numbers)? {
        let fd = open(place.mark, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else {
            if errno == ENOENT { return nil }
            throw unreadable(place, errno, "opened")
        }
        defer { close(fd) }
        guard let bytes = OpenFile.beginning(of: fd, limit: 128) else {
            throw unreadable(place, errno, "read")
        }
        if bytes.isEmpty { return nil }
        let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, let request = Int64(words[1]), request >= 0,
            words[2].utf8.last == UInt8(ascii: "\n"), let entry = Int64(words[2].dropLast()),
            entry >= 0
        else {
            throw StoreFault(
                .corrupt,
                "\(place.mark), which says what the store has acknowledged, makes no sense; nothing was changed: check the requests with `\(StoreDirectory.check(ofDatabase: place.database))`, and remove that file to continue"
            )
        }
        return (words[0], Numbers(request: request, entry: entry))
    }
}
