// SPDX-License-Identifier: Apache-2.0
import CSystem

/// A connection of a server. Used on its thread.
final class HTTPConnection {
    enum Phase {
        /// A request has begun, or is the first one.
        case reading
        /// The server works on a request.
        case waiting
        case answering
        /// Between two requests.
        case idle
    }

    let socket: Int32
    let peer: HTTPPeer
    unowned let loop: HTTPLoop
    /// The request that is worked on, or whose answer goes on.
    weak var exchange: HTTPExchange?
    private var phase = Phase.reading
    /// The CLOCK_MONOTONIC time at which it is ended.
    private var deadline = UInt64.max

    /// How often the server looks whether a client has left.
    private static let look: UInt64 = 1_000_000_000

    init(_ socket: Int32, _ peer: HTTPPeer, _ loop: HTTPLoop) {
        self.socket = socket
        self.peer = peer
        self.loop = loop
    }

    func enter(_ phase: Phase) {
        self.phase = phase
        let limits = loop.limits
        let span: UInt64? =
            switch phase {
            case .reading: limits.request
            case .waiting: nil
            case .answering: limits.answer
            case .idle: limits.idle
            }
        let now = csys_monotonic_ns()
        deadline = span.map { now &+ $0 } ?? .max
        loop.look(at: nextLook(now))
    }

    private func nextLook(_ now: UInt64) -> UInt64 {
        switch phase {
        case .reading, .waiting: min(deadline, now &+ Self.look)
        case .answering, .idle: deadline
        }
    }

    /// Whether its client has left in the middle of a request, or does not wait for the answer.
    private var isLeft: Bool {
        switch phase {
        case .reading: csys_socket_is_at_end(socket)
        case .waiting: csys_socket_is_gone(socket)
        case .answering, .idle: false
        }
    }

    /// Ends it if its time is over, or its client has left. Returns when to look again.
    func expire(at now: UInt64) -> UInt64 {
        guard deadline <= now || isLeft else { return nextLook(now) }
        csys_socket_shut(socket)
        exchange?.abandon()
        return .max
    }
}
