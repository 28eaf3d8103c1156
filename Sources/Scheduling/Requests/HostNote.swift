// SPDX-License-Identifier: Apache-2.0

/// The host that uses a store, or used it last, as the store keeps it.
struct HostNote: Equatable {
    var host: HostIdentity
    /// Nanoseconds since 1970 in UTC.
    var since: Int64
    /// Whether the host left the store in order.
    var isStopped: Bool

    init(host: HostIdentity, since: Int64, isStopped: Bool) {
        self.host = host
        self.since = since
        self.isStopped = isStopped
    }

    /// Reads the form of `bytes`; returns nil if they are malformed.
    init?(_ bytes: [UInt8]) {
        // Split the bytes: a `Character` may contain more than the blank with which it begins.
        let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 5, let process = Int32(words[1]), let start = UInt64(words[2]),
            let since = Int64(words[3]), Self.states.contains(words[4])
        else { return nil }
        host = HostIdentity(boot: words[0], process: process, start: start)
        self.since = since
        isStopped = words[4] == Self.states[1]
    }

    var bytes: [UInt8] {
        let state = Self.states[isStopped ? 1 : 0]
        return Array("\(host.boot) \(host.process) \(host.start) \(since) \(state)".utf8)
    }

    private static let states = ["running", "stopped"]
}
