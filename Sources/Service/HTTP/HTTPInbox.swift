// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues

/// Answers on their way to a server's thread.
final class HTTPInbox: Sendable {
    private struct State {
        var answers: [(HTTPExchange, HTTPAnswer)] = []
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
            return state.answers.count == 1
        }
        if isFirst { csys_eventfd_signal(descriptor) }
    }

    func take() -> [(HTTPExchange, HTTPAnswer)] {
        state.withLock { state in
            defer { state.answers = [] }
            return state.answers
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
            state.answers = []
        }
    }
}
