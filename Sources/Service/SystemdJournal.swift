// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// systemd's journal, for entries with fields besides their text. Any thread may call.
package struct SystemdJournal: Sendable {
    private typealias Send = @convention(c) (UnsafePointer<iovec>, Int32) -> Int32

    private let send: Send

    /// Returns the journal if a descriptor leads to it, as the variable JOURNAL_STREAM says: see systemd.exec(5).
    package static func behind(
        _ descriptor: Int32
    ) throws(ServiceManager.Failure) -> SystemdJournal? {
        var status = stat()
        guard let named = getenv("JOURNAL_STREAM"), fstat(descriptor, &status) == 0,
            String(cString: named) == "\(status.st_dev):\(status.st_ino)"
        else { return nil }
        return SystemdJournal(
            send: try SystemdLibrary.function("sd_journal_sendv", as: Send.self))
    }

    /// Adds an entry. Returns false if the journal does not take it.
    ///
    /// - Parameter fields: names and values; names as in sd_journal_send(3).
    package func add(_ fields: [(name: String, value: String)]) -> Bool {
        let texts = fields.map { Array("\($0.name)=\($0.value)".utf8) }
        let count = texts.reduce(0) { $0 + $1.count }
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(count, 1))
        defer { bytes.deallocate() }
        var parts: [iovec] = []
        var start = bytes.baseAddress!
        for text in texts {
            start.initialize(from: text, count: text.count)
            parts.append(iovec(iov_base: start, iov_len: text.count))
            start += text.count
        }
        return send(parts, Int32(parts.count)) == 0
    }
}
