// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Glibc

/// A proxy between libpq and a server of PostgreSQL that fails in the ways that networks do.
///
/// It forwards between a socket of its own and the server's, on one thread. A plan says where the newest connection
/// fails. Bytes are counted from the moment at which a plan was set.
package final class CutProxy: Sendable {
    package enum Direction: Sendable { case toServer, fromServer }

    /// What happens to a connection.
    package enum Plan: Sendable {
        /// Everything is forwarded.
        case forward
        /// Both sides are closed when there is more to forward than that many bytes.
        case cut(Direction, after: Int)
        /// Once that many bytes were forwarded, nothing is read any more, and both sides stay open.
        case swallow(Direction, after: Int)
        /// What follows that many bytes to the server is kept until `release`. The client's side is closed once the
        /// client has sent `last` bytes.
        case hold(after: Int, last: Int)
    }

    /// One connection, and the bytes that are under way.
    private struct Link {
        var client: Int32
        var server: Int32
        var plan = Plan.forward
        /// Bytes that were read from each side since the plan was set.
        var sent: [UInt8] = []
        var received = 0
        var toServer: [UInt8] = []
        var fromServer: [UInt8] = []
        var held: [UInt8] = []
        var isSwallowed = false
        /// Both sides are closed once the bytes under way were written.
        var isCut = false
        var hasShutDown = false
    }

    private struct State {
        var links: [Link] = []
        /// Whether nothing is read at all, and nobody is let in.
        var isSilent = false
        var isStopping = false
        var hasStopped = false
        var accepted = 0
    }

    private let server: PostgresServer
    private let place: TemporaryDirectory
    private let state = Guarded(State())
    /// A pipe, to wake the thread.
    private let wake: (read: Int32, write: Int32)

    /// - Parameter pooler: is between the proxy and the server, if there is one.
    package init(to server: PostgresServer, through pooler: PgBouncer? = nil) throws {
        self.server = server
        place = try TemporaryDirectory()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw TestFault(text: "the proxy has no pipe: errno \(errno)")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wake = (ends[0], ends[1])
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard Self.at(place.path(".s.PGSQL.5432"), { bind(listener, $0, $1) }) == 0,
            listen(listener, 64) == 0
        else { throw TestFault(text: "the proxy has no socket: errno \(errno)") }
        let (state, wake, target) = (
            state, wake.read, (pooler?.directory ?? server.directory) + "/.s.PGSQL.5432"
        )
        Thread.detachNewThread { Self.forward(state, wake, listener, target) }
    }

    deinit {
        state.change { $0.isStopping = true }
        signal()
        _ = state.wait { $0.hasStopped }
        close(wake.read)
        close(wake.write)
    }

    // MARK: For tests

    /// The URL of a store behind the proxy.
    package func url(schema: String, _ parameters: String = "") -> String {
        server.url(schema: schema, parameters)
            .replacingOccurrences(of: server.directory, with: place.path)
    }

    /// Sets the plan of the newest connection, which is idle, and counts its bytes anew.
    package func set(_ plan: Plan) {
        change { state in
            guard !state.links.isEmpty else { return }
            let last = state.links.count - 1
            state.links[last].plan = plan
            (state.links[last].sent, state.links[last].received) = ([], 0)
        }
    }

    /// The bytes of the newest connection since its plan was set: those to the server, and the number of those from
    /// it.
    package var traffic: (sent: [UInt8], received: Int) {
        state.change { ($0.links.last?.sent ?? [], $0.links.last?.received ?? 0) }
    }

    /// The number of connections that were made.
    package var accepted: Int { state.value.accepted }

    /// Forwards nothing, and lets nobody in, while it is silent.
    package func setSilent(_ isSilent: Bool) { change { $0.isSilent = isSilent } }

    /// Forwards what was held back.
    package func release() {
        change { state in
            for index in state.links.indices {
                state.links[index].toServer += state.links[index].held
                state.links[index].held = []
                state.links[index].plan = .forward
            }
        }
    }

    /// Closes all connections.
    package func cutAll() {
        change { state in for index in state.links.indices { state.links[index].isCut = true } }
        _ = waitUntil(links: 0)
    }

    /// Waits until no more than that many connections are left, on either side.
    package func waitUntil(links count: Int) -> Bool { state.wait { $0.links.count <= count } }

    private func change(_ body: (inout State) -> Void) {
        state.change(body)
        signal()
    }

    private func signal() {
        // Where it is full the thread wakes anyway.
        _ = Glibc.write(wake.write, [1], 1)
    }

    // MARK: On its thread

    private static func at(
        _ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func forward(
        _ state: Guarded<State>, _ wake: Int32, _ listener: Int32, _ target: String
    ) {
        while true {
            var entries = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            state.change { state in
                let isSilent = state.isSilent
                entries.append(
                    pollfd(fd: isSilent ? -1 : listener, events: Int16(POLLIN), revents: 0))
                for link in state.links {
                    entries.append(
                        interest(link.client, link.fromServer, link.toServer, link, isSilent))
                    entries.append(
                        interest(link.server, link.toServer, link.fromServer, link, isSilent))
                }
            }
            poll(&entries, nfds_t(entries.count), -1)
            var signals = [UInt8](repeating: 0, count: 64)
            _ = Glibc.read(wake, &signals, signals.count)
            let isStopping = state.change { state in
                if !state.isSilent {
                    for index in state.links.indices {
                        let first = 2 + 2 * index
                        pass(
                            &state.links[index], entries[first].revents, entries[first + 1].revents)
                    }
                }
                state.links.removeAll { $0.client < 0 && $0.server < 0 }
                if entries[1].revents != 0 { accept(&state, listener, target) }
                return state.isStopping
            }
            if isStopping { break }
        }
        state.change { state in
            for link in state.links {
                for side in [link.client, link.server] where side >= 0 { close(side) }
            }
            state.links = []
            close(listener)
            state.hasStopped = true
        }
    }

    /// What is waited for on one side: it has to take `out` before the other one is read.
    private static func interest(
        _ side: Int32, _ out: [UInt8], _ into: [UInt8], _ link: Link, _ isSilent: Bool
    ) -> pollfd {
        var events: Int32 = 0
        if !out.isEmpty { events |= Int32(POLLOUT) }
        if into.isEmpty, !link.isCut { events |= Int32(POLLIN) }
        let isIgnored = isSilent || link.isSwallowed || events == 0
        return pollfd(fd: isIgnored ? -1 : side, events: Int16(events), revents: 0)
    }

    private static func accept(_ state: inout State, _ listener: Int32, _ target: String) {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard at(target, { connect(server, $0, $1) }) == 0 else {
            close(client)
            close(server)
            return
        }
        _ = fcntl(server, F_SETFL, O_NONBLOCK)
        state.links.append(Link(client: client, server: server))
        state.accepted += 1
    }

    private static func pass(_ link: inout Link, _ ofClient: Int16, _ ofServer: Int16) {
        if ofClient & ~Int16(POLLOUT) != 0, let bytes = read(link.client) {
            link.sent += bytes
            let allowed = allowed(&link, bytes, .toServer, before: link.sent.count - bytes.count)
            link.toServer += bytes.prefix(allowed)
            if case .hold(_, let last) = link.plan {
                link.held += bytes.dropFirst(allowed)
                if bytes.isEmpty || link.sent.count >= last { end(&link.client) }
            } else if bytes.isEmpty {
                end(&link.client)
            }
        }
        if ofServer & ~Int16(POLLOUT) != 0, let bytes = read(link.server) {
            link.received += bytes.count
            let allowed = allowed(&link, bytes, .fromServer, before: link.received - bytes.count)
            link.fromServer += bytes.prefix(allowed)
            if bytes.isEmpty { end(&link.server) }
        }
        write(&link.toServer, to: link.server)
        write(&link.fromServer, to: link.client)
        if link.isCut, link.toServer.isEmpty, link.fromServer.isEmpty {
            end(&link.client)
            end(&link.server)
        }
        // What one side has sent before its end goes to the other one.
        if link.server < 0, link.fromServer.isEmpty { end(&link.client) }
        if link.client < 0, link.server >= 0, link.toServer.isEmpty, link.held.isEmpty,
            !link.hasShutDown
        {
            link.hasShutDown = true
            shutdown(link.server, Int32(SHUT_WR))
        }
    }

    /// Returns how many of the bytes that have come are forwarded, by the plan.
    private static func allowed(
        _ link: inout Link, _ bytes: [UInt8], _ direction: Direction, before count: Int
    ) -> Int {
        switch link.plan {
        case .cut(direction, let limit) where count + bytes.count > limit:
            link.isCut = true
            return max(limit - count, 0)
        case .swallow(direction, let limit) where count + bytes.count >= limit:
            link.isSwallowed = true
            return max(limit - count, 0)
        case .hold(let limit, _) where direction == .toServer && count + bytes.count > limit:
            return max(limit - count, 0)
        default: return bytes.count
        }
    }

    /// Returns what has come; nothing at the end, and nil where there is nothing now.
    private static func read(_ side: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(side, &bytes, bytes.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        return Array(bytes.prefix(max(count, 0)))
    }

    private static func write(_ bytes: inout [UInt8], to side: Int32) {
        guard !bytes.isEmpty else { return }
        let count = side < 0 ? -1 : send(side, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 {
            bytes.removeFirst(count)
        } else if side < 0 || errno != EAGAIN && errno != EINTR {
            // Nobody takes them any more.
            bytes = []
        }
    }

    private static func end(_ side: inout Int32) {
        if side >= 0 { close(side) }
        side = -1
    }
}
