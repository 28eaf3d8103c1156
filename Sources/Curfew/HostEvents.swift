// SPDX-License-Identifier: Apache-2.0
public import Runner

/// The events of a host as an asynchronous sequence, in the order of delivery.
///
/// ```swift
/// for await event in try host.events(named: "mirror_done::") { print(event.values) }
/// ```
///
/// The sequence has one buffer, which receives events from the creation of the sequence until the
/// last copy of it and of its iterators is released. Each event goes to one iterator: call
/// `Host.events` once for each loop that is to see them all. If the buffer is full, later events are
/// dropped, and `dropped` counts them.
///
/// The sequence ends when its host is shut down, after the events that are buffered then. With
/// `manualDispatch` it ends once the last event of the shutdown is dispatched. It does not retain the host.
public struct HostEvents: AsyncSequence, Sendable {
    /// An iterator over the events.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let subscription: Subscription

        /// Returns the next event once there is one; nil at the end of the sequence. If the calling
        /// task is cancelled, it returns nil at once, and the buffered events stay for other tasks.
        public func next() async -> HostEvent? { await subscription.buffer.next() }
    }

    /// Ends the subscription with the last copy of the sequence.
    final class Subscription: Sendable {
        let buffer: EventBuffer
        private let number: UInt64
        private let runtime: HostRuntime
        private let open: Locked<[UInt64: EventBuffer]>

        init(
            _ buffer: EventBuffer, _ number: UInt64, _ runtime: HostRuntime,
            in open: Locked<[UInt64: EventBuffer]>
        ) {
            self.buffer = buffer
            self.number = number
            self.runtime = runtime
            self.open = open
            open.withLock { $0[number] = buffer }
        }

        deinit {
            _ = runtime.loop.unsubscribe(number)
            open.withLock { $0[number] = nil }
        }
    }

    let subscription: Subscription

    /// The number of events that were dropped because the buffer was full.
    public var dropped: Int { subscription.buffer.dropped }

    /// Returns an iterator that shares the buffer with all others.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }
}
