// SPDX-License-Identifier: Apache-2.0

/// Which host uses a store, or used it last, as the store keeps it.
struct HostNote: Equatable {
    var host: HostIdentity
    /// Nanoseconds since 1970 in UTC.
    var since: Int64
    /// It left in order.
    var isStopped: Bool

    init(host: HostIdentity, since: Int64, isStopped: Bool) {
        self.host = host
        self.since = since
        self.isStopped = isStopped
    }

    /// Nil: the bytes are no note.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 5, let process = Int32(words[1]), let start = UInt64(words[2]),
            let since = Int64(words[3])
        else { return nil }
        host = HostIdentity(boot: String(words[0]), process: process, start: start)
        self.since = since
        isStopped = words[4] == "stopped"
    }

    var bytes: [UInt8] {
        let state = isStopped ? "stopped" : "running"
        return Array("\(host.boot) \(host.process) \(host.start) \(since) \(state)".utf8)
    }
}
