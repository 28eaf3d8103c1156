// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues

/// Answers on their way to a server's thread.
final class HTTPInbox: Sendable {
    private struct State {
        var answers: [(HTTPExchange, HTTPAnswer)] = []
        /// Those whose streams have something to send.
        var woken: [HTTPExchange] = []
        /// Descriptors that are signalled once the thread has looked.
        var looks: [Int32] = []
        var isClosed = false
        /// The CLOCK_MONOTONIC time until which requests that were taken are awaited, once it has to stop.
        var stopsAt: UInt64?
        /// The thread sleeps, or is about to, and was not woken yet.
        var isResting = false

        /// Returns whether the thread has to be woken, which one caller does.
        mutating func mustWake() -> Bool {
            defer { isResting = false }
            return isResting
        }

        mutating func tellOfLook() {
            for event in looks { csys_eventfd_signal(event) }
            looks = []
        }
    }

    private let state = Locked(State())
    /// eventfd, readable when the thread has to look.
    let descriptor = csys_eventfd()

    deinit { csys_close(descriptor) }

    func put(_ answers: [(HTTPExchange, HTTPAnswer)]) {
        let mustWake = state.withLock { state in
            guard !state.isClosed else { return false }
            state.answers += answers
            return state.mustWake()
        }
        if mustWake { csys_eventfd_signal(descriptor) }
    }

    func wake(_ exchange: HTTPExchange) {
        let mustWake = state.withLock { state in
            guard !state.isClosed else { return false }
            state.woken.append(exchange)
            return state.mustWake()
        }
        if mustWake { csys_eventfd_signal(descriptor) }
    }

    func take() -> (answers: [(HTTPExchange, HTTPAnswer)], woken: [HTTPExchange]) {
        state.withLock { state in
            defer { (state.answers, state.woken) = ([], []) }
            state.tellOfLook()
            return (state.answers, state.woken)
        }
    }

    /// Waits until the thread has looked at what came, or has ended.
    func awaitLook() {
        let event = csys_eventfd()
        guard event >= 0 else { return }
        defer { csys_close(event) }
        let (isAwaited, mustWake) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.looks.append(event)
            return (true, state.mustWake())
        }
        if mustWake { csys_eventfd_signal(descriptor) }
        if isAwaited { csys_wait_any_readable([event], 1, .max) }
    }

    /// Returns false if there is something to take, so that the thread must not sleep.
    func rest() -> Bool {
        state.withLock { state in
            guard state.answers.isEmpty, state.woken.isEmpty, state.looks.isEmpty else {
                return false
            }
            state.isResting = true
            return true
        }
    }

    /// Ends the rest.
    func rise() {
        let wasWoken = state.withLock { state in !state.mustWake() }
        if wasWoken { csys_eventfd_drain(descriptor) }
    }

    func stop(at time: UInt64) {
        let mustWake = state.withLock { state in
            state.stopsAt = time
            return state.mustWake()
        }
        if mustWake { csys_eventfd_signal(descriptor) }
    }

    var stopsAt: UInt64? { state.withLock { $0.stopsAt } }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.tellOfLook()
            (state.answers, state.woken) = ([], [])
        }
    }
}
