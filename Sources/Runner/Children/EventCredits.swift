// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// The places in a host's queue of events that are reserved for what one process posts: as long as it has
/// some left, an event that it posts is not refused, and it does not have to ask.
///
/// The lock of the `ChildPort` guards it.
struct EventCredits {
    private let queue: EventQueue
    /// Reserved places that no event has taken.
    private var reserved: UInt32
    /// Places that were taken, and that the queue had no room to reserve again.
    private var owed: UInt32 = 0
    /// The number of events that the process may ever have posted.
    private(set) var granted: UInt64

    /// The most that one process has at a time.
    private static let most: UInt32 = 256

    /// Reserves places, none in a short queue.
    init(in queue: EventQueue) {
        self.queue = queue
        reserved = queue.reserve(min(Self.most, queue.limit / 64))
        granted = UInt64(reserved)
    }

    /// Whether the process may have posted one more.
    var isLeft: Bool { reserved > 0 }

    /// An event of the process was posted, and has taken its place or not.
    mutating func settle(isQueued: Bool) {
        guard isQueued else {
            granted += 1
            return
        }
        reserved -= 1
        owed += 1
        restore()
    }

    /// Reserves again what was taken, if there is room.
    mutating func restore() {
        guard owed > 0 else { return }
        let count = queue.reserve(owed)
        owed -= count
        reserved += count
        granted += UInt64(count)
    }

    /// Gives all back.
    mutating func close() {
        queue.release(reserved)
        (reserved, owed) = (0, 0)
    }
}
