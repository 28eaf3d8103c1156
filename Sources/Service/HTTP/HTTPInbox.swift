// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues

/// Answers on their way to a server's thread.
final class HTTPInbox: Sendable {
    private struct State {
        var answers: [(HTTPExchange, HTTPAnswer)] = []
        /// Those whose streams have something to send.
        var woken: [HTTPExchange] = []
        var isClosed = false
        /// The CLOCK_MONOTONIC time until which requests that were taken are awaited, once it has to stop.
        var stopsAt: UInt64?
    }

    private let state = Locked(State())
    /// eventfd, readable when the thread has to look.
    let descriptor = csys_eventfd()

    deinit { csys_close(descriptor) }

    func put(_ exchange: HTTPExchange, _ answer: HTTPAnswer) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.answers.append((exchange, answer))
            return state.answers.count + state.woken.count == 1
        }
        if isFirst { csys_eventfd_signal(descriptor) }
    }

    func wake(_ exchange: HTTPExchange) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.woken.append(exchange)
            return state.answers.count + state.woken.count == 1
        }
        if isFirst { csys_eventfd_signal(descriptor) }
    }

    func take() -> (answers: [(HTTPExchange, HTTPAnswer)], woken: [HTTPExchange]) {
        state.withLock { state in
            defer { (state.answers, state.woken) = ([], []) }
            return (state.answers, state.woken)
        }
    }

    func stop(at time: UInt64) {
        state.withLock { $0.stopsAt = time }
        csys_eventfd_signal(descriptor)
    }

    var stopsAt: UInt64? { state.withLock { $0.stopsAt } }

    func close() {
        state.withLock { state in
            state.isClosed = true
            (state.answers, state.woken) = ([], [])
        }
    }
}
