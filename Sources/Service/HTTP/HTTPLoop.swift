// SPDX-License-Identifier: Apache-2.0
import CMicroHTTP
import CSystem
internal import Glibc
import PluginBridge

/// The thread of a server: accepts connections, has libmicrohttpd read and write, and ends what takes
/// too long.
///
/// libmicrohttpd limits silence only, and misses a client that closes one direction in the middle of a request.
/// The deadlines here are about the whole of a request.
final class HTTPLoop {
    let limits: HTTPServer.Limits
    let inbox: HTTPInbox
    private let handle: ([HTTPCall]) -> Void
    /// Says whose requests are whose; nil where the kernel does.
    let admission: HTTPServer.Admission?
    private var listener: Int32
    private let calls = UnsafeMutablePointer<chttp_calls>.allocate(capacity: 1)
    private var server: OpaquePointer!
    private var connections: [ObjectIdentifier: HTTPConnection] = [:]
    /// The numbers of connections of users besides the server's own and root.
    private var foreign: [UInt32: Int] = [:]
    private let own = geteuid()
    /// The requests that were read since the last look.
    private var fresh: [HTTPCall] = []
    private var waiting: [ObjectIdentifier: HTTPExchange] = [:]
    private var streaming: [ObjectIdentifier: HTTPExchange] = [:]
    /// All bodies that are kept.
    private var bodyBytes = 0
    /// Further requests are answered with 503 at once.
    private(set) var isStopping = false
    /// The CLOCK_MONOTONIC time until which the thread looks for requests before it sleeps.
    private var looksUntil: UInt64 = 0
    private let cores = CoreSharing()
    /// No deadline is earlier.
    private var nextDeadline = UInt64.max
    private var acceptsAgainAt: UInt64?

    /// Fails without memory.
    init?(
        _ listener: Int32, _ limits: HTTPServer.Limits, _ inbox: HTTPInbox,
        _ admission: HTTPServer.Admission?, _ handle: @escaping ([HTTPCall]) -> Void
    ) {
        self.listener = listener
        self.limits = limits
        self.inbox = inbox
        self.handle = handle
        self.admission = admission
        calls.initialize(to: chttp_calls())
        calls.pointee = chttp_calls(
            data: Unmanaged.passUnretained(self).toOpaque(),
            begin: { context, _, target in
                let connection = Unmanaged<HTTPConnection>.fromOpaque(context!)
                    .takeUnretainedValue()
                connection.enter(.reading)
                return Unmanaged.passRetained(
                    HTTPExchange(connection, target: String(cString: target!))
                ).toOpaque()
            },
            step: { request, client, method, version, bytes, count in
                Unmanaged<HTTPExchange>.fromOpaque(request!).takeUnretainedValue().step(
                    client!, method: String(cString: method!), version: String(cString: version!),
                    UnsafeBufferPointer(start: bytes, count: count))
            },
            end: { Unmanaged<HTTPExchange>.fromOpaque($0!).takeRetainedValue().end() },
            connected: { data, _, socket in
                let loop = Unmanaged<HTTPLoop>.fromOpaque(data!).takeUnretainedValue()
                return Unmanaged.passRetained(loop.connected(socket)).toOpaque()
            },
            disconnected: {
                let connection = Unmanaged<HTTPConnection>.fromOpaque($0!).takeRetainedValue()
                connection.loop.disconnected(connection)
            })
        // Some more, so that this is the limit which counts.
        guard let server = chttp_start(calls, UInt32(limits.connections + 8), limits.headBytes)
        else {
            return nil
        }
        self.server = server
    }

    deinit { calls.deallocate() }

    // MARK: The thread

    func run() {
        while true {
            let stopsAt = inbox.stopsAt
            if stopsAt != nil { stopListening() }
            isStopping = stopsAt != nil
            accept()
            chttp_run(server)
            if !fresh.isEmpty {
                let calls = fresh
                fresh = []
                handle(calls)
            }
            if resume(inbox.take()) { continue }
            if let stopsAt, waiting.isEmpty && streaming.isEmpty || stopsAt <= csys_monotonic_ns() {
                return finish()
            }
            let now = csys_monotonic_ns()
            if nextDeadline <= now {
                expire(at: now)
                // It may have resumed some, which libmicrohttpd does not count as work.
                continue
            }
            if !chttp_has_work(server), !lookAfterAnswer() { sleep(until: stopsAt ?? .max) }
        }
    }

    /// Nanoseconds: as long as it takes to wake a client and this thread.
    private static let lookSpan: UInt64 = 100_000

    /// Looks for a moment whether a client that was answered asks again, which is sooner than a sleeping thread is
    /// woken. Returns whether one does. While other calls wait for their answers, those wake the thread.
    private func lookAfterAnswer() -> Bool {
        while waiting.isEmpty {
            let now = csys_monotonic_ns()
            guard now < looksUntil else { return false }
            if csys_is_readable(chttp_descriptor(server)) { return true }
            guard cores.yield(at: now) else { break }
        }
        looksUntil = 0
        return false
    }

    private func sleep(until stop: UInt64) {
        guard inbox.rest() else { return }
        defer { inbox.rise() }
        // A stop that was asked for before is seen now, and one after wakes.
        guard (inbox.stopsAt ?? .max) == stop else { return }
        var descriptors = [inbox.descriptor, chttp_descriptor(server)]
        if listener >= 0, acceptsAgainAt == nil { descriptors.append(listener) }
        csys_wait_any_readable(
            descriptors, Int32(descriptors.count), min(stop, nextDeadline, acceptsAgainAt ?? .max))
    }

    /// Returns whether there were any.
    private func resume(_ ready: (answers: [(HTTPExchange, HTTPAnswer)], woken: [HTTPExchange]))
        -> Bool
    {
        for (exchange, answer) in ready.answers {
            waiting[ObjectIdentifier(exchange)] = nil
            exchange.answer(answer)
        }
        for exchange in ready.woken { exchange.goOn() }
        if !ready.answers.isEmpty { looksUntil = csys_monotonic_ns() &+ Self.lookSpan }
        return !ready.answers.isEmpty || !ready.woken.isEmpty
    }

    private func accept() {
        guard listener >= 0 else { return }
        if let acceptsAgainAt, acceptsAgainAt > csys_monotonic_ns() { return }
        acceptsAgainAt = nil
        // accept(2) allocates a file before it finds that no client waits: 1.9 µs, against 0.26 µs for poll(2).
        guard csys_is_readable(listener) else { return }
        while true {
            let socket = csys_socket_accept(listener)
            if socket == -EMFILE || socket == -ENFILE || socket == -ENOMEM || socket == -ENOBUFS {
                // The clients stay in the queue.
                acceptsAgainAt = csys_monotonic_ns() &+ 1_000_000_000
            }
            if socket < 0 { return }
            guard let peer = peer(of: socket) else {
                csys_close(socket)
                continue
            }
            if let fault = refusal(of: peer) {
                turnAway(socket, fault)
            } else {
                _ = chttp_add(server, socket)
            }
        }
    }

    /// Answers a client that gets no connection, without waiting for it, and closes the socket.
    private func turnAway(_ socket: Int32, _ fault: HTTPFault) {
        let answer = HTTPAnswer(fault)
        let head = """
            HTTP/1.1 \(answer.status) Service Unavailable\r\nContent-Type: \(answer.contentType)\r\n\
            Content-Length: \(answer.body.count)\r\nConnection: close\r\n\r\n
            """
        // A socket that is closed with unread bytes resets the connection, and its client may lose the answer.
        var sent = [UInt8](repeating: 0, count: limits.headBytes)
        _ = recv(socket, &sent, sent.count, Int32(MSG_DONTWAIT))
        let bytes = Array(head.utf8) + answer.body
        _ = send(socket, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        csys_close(socket)
    }

    private func peer(of socket: Int32) -> HTTPPeer? {
        admission == nil ? HTTPPeer(socket) : .nobody
    }

    /// Returns why there may not be another connection, now that those whose clients have left are ended.
    private func refusal(of peer: HTTPPeer) -> HTTPFault? {
        if connections.count >= limits.connections {
            expire(at: csys_monotonic_ns())
            chttp_run(server)
        }
        let isFull = connections.count >= limits.connections
        guard isFull || foreign[peer.user, default: 0] >= limits.foreignConnections else {
            return nil
        }
        let count = isFull ? limits.connections : limits.foreignConnections
        return HTTPFault(
            503, "busy",
            "the host has \(count) connections\(isFull ? "" : " of user \(peer.user)"), and takes no more",
            help: ["close one, or try again once one is closed"])
    }

    private func count(_ connection: HTTPConnection, by change: Int) {
        let user = connection.peer.user
        guard user != own, user != 0 else { return }
        let number = foreign[user, default: 0] + change
        foreign[user] = number == 0 ? nil : number
    }

    private func disconnected(_ connection: HTTPConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        count(connection, by: -1)
    }

    private func connected(_ socket: Int32) -> HTTPConnection {
        let peer = peer(of: socket) ?? .nobody
        let connection = HTTPConnection(socket, peer, self)
        connections[ObjectIdentifier(connection)] = connection
        count(connection, by: 1)
        connection.enter(.reading)
        return connection
    }

    // MARK: Requests

    func began(_ exchange: HTTPExchange, _ call: HTTPCall) {
        waiting[ObjectIdentifier(exchange)] = exchange
        fresh.append(call)
    }

    func streams(_ exchange: HTTPExchange) { streaming[ObjectIdentifier(exchange)] = exchange }

    func ended(_ exchange: HTTPExchange) {
        waiting[ObjectIdentifier(exchange)] = nil
        streaming[ObjectIdentifier(exchange)] = nil
    }

    /// Returns false if all bodies together have too many bytes.
    func reserve(_ bytes: Int) -> Bool {
        guard bodyBytes + bytes <= limits.allBodyBytes else { return false }
        bodyBytes += bytes
        return true
    }

    func unreserve(_ bytes: Int) { bodyBytes -= bytes }

    // MARK: Deadlines

    func look(at deadline: UInt64) { nextDeadline = min(nextDeadline, deadline) }

    /// Ends the connections whose time is over, or whose clients have left.
    private func expire(at now: UInt64) {
        nextDeadline = .max
        for connection in connections.values { look(at: connection.expire(at: now)) }
    }

    // MARK: The end

    static let stopping = HTTPFault(503, "stopping", "the host ends")

    private func stopListening() {
        guard listener >= 0 else { return }
        csys_close(listener)
        listener = -1
    }

    private func finish() {
        inbox.close()
        for exchange in waiting.values { exchange.answer(HTTPAnswer(Self.stopping, closes: true)) }
        waiting = [:]
        for exchange in streaming.values { exchange.cut() }
        // Sends as much as the buffers of the sockets take.
        for _ in 0..<4 { chttp_run(server) }
        chttp_stop(server)
    }
}
