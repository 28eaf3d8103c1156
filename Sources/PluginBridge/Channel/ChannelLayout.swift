// SPDX-License-Identifier: Apache-2.0

/// The places in the two files that a host and a plugin's process share.
///
/// The host writes `down`: a header, the rings' ends, mailboxes, the control ring, a line for each
/// task slot, and an arena for payloads and replies. The child writes `up`: words that both sides
/// exchange, then its own words and the record ring.
package struct ChannelLayout: Equatable, Sendable {
    /// The number of handlers.
    package let handlers: Int
    /// The size of the arena in bytes.
    package let arenaBytes: UInt64

    /// Offered tasks of one handler that have not returned.
    package static let window = 64
    package static let mailboxes = 64
    package static let controls = 1_024
    package static let ringBytes: UInt64 = 1 << 20
    /// The longest event that is posted; a process asks for the place of a longer one.
    package static let postedBytes = 4_096
    /// The longest record with its header; a longer body comes in fragments.
    package static let recordBytes = 16 * 1_024
    package static let headerBytes = 16
    package static let lastWordsBytes = 4_096
    /// As many as the host has task slots.
    package static let lines = 1 << 21
    package static let handlerLimit = 1_024
    private static let page: UInt64 = 4_096

    package init(handlers: Int, arenaBytes: UInt64) {
        self.handlers = handlers
        self.arenaBytes = arenaBytes
    }

    private static func paged(_ bytes: UInt64) -> UInt64 { (bytes + page - 1) & ~(page - 1) }

    // MARK: down

    static let tailsAt: UInt64 = 256
    private var mailboxesAt: UInt64 { Self.tailsAt + UInt64(handlers) * 64 }
    private var controlAt: UInt64 { mailboxesAt + UInt64(Self.mailboxes) * 64 }
    var linesAt: UInt64 { Self.paged(controlAt + UInt64(Self.controls) * 64) }
    package var arenaAt: UInt64 { linesAt + UInt64(Self.lines) * 64 }
    package var downBytes: UInt64 { arenaAt + Self.paged(arenaBytes) }

    func tail(_ handler: Int) -> UInt64 { Self.tailsAt + UInt64(handler) * 64 }
    func mailbox(_ index: Int) -> UInt64 { mailboxesAt + UInt64(index) * 64 }
    func control(_ position: UInt64) -> UInt64 {
        controlAt + (position & UInt64(Self.controls - 1)) * 64
    }
    func line(_ slot: UInt32) -> UInt64 { linesAt + UInt64(slot) * 64 }

    // MARK: up

    /// The channel reader's bell, the bells of the waiting thread, the control thread and a thread
    /// that waits for room in the ring, each on a cache line.
    static let bellsAt: UInt64 = 0
    private static let gatesAt: UInt64 = 256
    private static let gateStride = 64 + UInt64(window) * 16
    func bell(_ handler: Int) -> UInt64 { Self.gatesAt + UInt64(handler) * Self.gateStride }
    func gate(_ handler: Int, _ position: UInt64) -> UInt64 {
        bell(handler) + 64 + (position & UInt64(Self.window - 1)) * 16
    }
    /// The bytes of `up` that both sides write.
    package var sharedBytes: UInt64 { Self.paged(bell(handlers)) }
    var ringTailAt: UInt64 { sharedBytes }
    var lastWordsAt: UInt64 { sharedBytes + Self.page }
    var ringAt: UInt64 { lastWordsAt + UInt64(Self.lastWordsBytes) }
    package var upBytes: UInt64 { ringAt + Self.ringBytes }
}
