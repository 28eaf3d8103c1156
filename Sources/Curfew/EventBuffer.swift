// SPDX-License-Identifier: Apache-2.0
import Runner

/// A bounded buffer between the thread of the event loop and the iterators of a sequence.
final class EventBuffer: Sendable {
    private struct State {
        /// The events that no iterator has taken: the older ones with the oldest last, and then the
        /// newer ones, so that each event is moved once.
        var older: [HostEvent] = []
        var newer: [HostEvent] = []
        /// The iterators that wait for an event, in their order. If there are any, no event is left.
        var waiting: [(number: UInt64, continuation: CheckedContinuation<HostEvent?, Never>)] = []
        var waits: UInt64 = 0
        var dropped = 0
        var isAtEnd = false

        mutating func take() -> HostEvent? {
            if older.isEmpty { (older, newer) = (newer.reversed(), []) }
            return older.popLast()
        }
    }

    private let state = Locked(State())
    private let limit: Int

    init(limit: Int) { self.limit = max(1, limit) }

    /// The number of events that came while the buffer was full.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Adds an event, or gives it to the iterator that has waited longest.
    func add(_ event: HostEvent) {
        let waiting = state.withLock { state in
            guard state.waiting.isEmpty else {
                return Optional(state.waiting.removeFirst().continuation)
            }
            if state.older.count + state.newer.count < limit {
                state.newer.append(event)
            } else {
                state.dropped += 1
            }
            return nil
        }
        waiting?.resume(returning: event)
    }

    /// Lets iterators take the buffered events, and then end.
    func end() {
        let waiting = state.withLock { state in
            state.isAtEnd = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for each in waiting { each.continuation.resume(returning: nil) }
    }

    /// Takes the next event, and waits for it if need be. Returns nil at the end, or if the calling
    /// task is cancelled.
    func next() async -> HostEvent? {
        let number = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: HostEvent?? = state.withLock { state in
                    // `giveUp` found nothing if it was called before this.
                    if Task.isCancelled { return .some(nil) }
                    if let event = state.take() { return event }
                    if state.isAtEnd { return .some(nil) }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: UInt64) {
        let waiting = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map {
                state.waiting.remove(at: $0).continuation
            }
        }
        waiting?.resume(returning: nil)
    }
}
