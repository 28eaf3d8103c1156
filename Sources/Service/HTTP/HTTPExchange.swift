// SPDX-License-Identifier: Apache-2.0
import CMicroHTTP
import Synchronization

/// A request and its answer. Used on the server's thread.
final class HTTPExchange: @unchecked Sendable {
    // Sendable: other threads only carry it to the server's thread.

    private enum Phase {
        case head
        case body
        /// The rest of the body is thrown away, then this is said.
        case refused(HTTPFault)
        /// Suspended until the call is answered.
        case waiting
        case answered(HTTPAnswer)
        /// Suspended while there is nothing to send.
        case streaming(HTTPStream)
        case over
    }

    /// The bytes of a body that are read though it is too large, so that its client can read why.
    private static let thrownAwayLimit = 16 << 20

    let connection: HTTPConnection
    private let target: String
    private var phase = Phase.head
    private var head: HTTPHead?
    private var body: [UInt8] = []
    private var thrownAway = 0
    private var suspended: OpaquePointer?
    /// It is answered, or its client has left. Any thread may set it.
    let isAnswered = Atomic<Bool>(false)
    /// The connection of a stream.
    private var client: OpaquePointer?

    init(_ connection: HTTPConnection, target: String) {
        self.connection = connection
        self.target = target
    }

    /// Takes the next part of the request. Returns false if the connection has to be closed.
    func step(
        _ client: OpaquePointer, method: String, version: String,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let loop = connection.loop
        switch phase {
        case .head:
            let head = Self.head(client, method, target, version)
            self.head = head
            guard let fault = head.fault(limit: loop.limits.bodyBytes) else {
                phase = .body
                return true
            }
            // Many clients read no answer before they have sent all.
            guard fault.status == 413, !head.waitsToSend,
                head.length ?? 0 <= UInt64(Self.thrownAwayLimit)
            else {
                return send(HTTPAnswer(fault, closes: true), client)
            }
            return refuse(fault)
        case .body where bytes.isEmpty: return take(client)
        case .body:
            guard body.count + bytes.count <= loop.limits.bodyBytes else {
                return refuse(
                    HTTPFault(413, "tooLarge", "the body may have \(loop.limits.bodyBytes) bytes"))
            }
            guard loop.reserve(bytes.count) else {
                return refuse(
                    HTTPFault(
                        429, "busy", "too many large requests arrive at the same time",
                        help: ["try again"]))
            }
            body += bytes
        case .refused(let fault):
            if bytes.isEmpty { return send(HTTPAnswer(fault, closes: true), client) }
            thrownAway += bytes.count
            return thrownAway <= Self.thrownAwayLimit
        case .answered(let answer): return send(answer, client)
        case .waiting, .streaming, .over: break
        }
        return true
    }

    private static func head(
        _ client: OpaquePointer, _ method: String, _ target: String, _ version: String
    ) -> HTTPHead {
        var head = HTTPHead(method: method, target: target, version: version)
        withUnsafeMutablePointer(to: &head) { head in
            chttp_headers(client, head) { data, name, nameBytes, value, valueBytes in
                data!.assumingMemoryBound(to: HTTPHead.self).pointee.add(
                    UnsafeRawBufferPointer(start: name, count: nameBytes),
                    UnsafeRawBufferPointer(start: value, count: valueBytes))
            }
        }
        return head
    }

    private func refuse(_ fault: HTTPFault) -> Bool {
        releaseBody()
        phase = .refused(fault)
        return true
    }

    /// Hands the request on.
    private func take(_ client: OpaquePointer) -> Bool {
        guard let target = HTTPTarget(target), let head else {
            return send(
                HTTPAnswer(
                    HTTPFault(400, "badHTTP", "the target of the request is malformed"),
                    closes: true),
                client)
        }
        let loop = connection.loop
        if loop.isStopping { return send(HTTPAnswer(HTTPLoop.stopping, closes: true), client) }
        var request = HTTPRequest(
            method: head.method, target: target, head: head, body: body, peer: connection.peer)
        switch loop.admission?(request) {
        case .answered(let answer): return send(answer, client)
        case .from(let peer): request.peer = peer
        case nil: break
        }
        phase = .waiting
        connection.exchange = self
        suspended = client
        chttp_suspend(client)
        connection.enter(.waiting)
        loop.began(self, HTTPCall(request, self, loop.inbox))
        return true
    }

    /// Gives up on a request whose client has left.
    func abandon() {
        switch phase {
        case .waiting:
            isAnswered.store(true, ordering: .relaxed)
            answer(HTTPAnswer(499, [], "text/plain", closes: true))
        case .streaming(let stream):
            stream.close()
            phase = .over
            if let client = suspended {
                suspended = nil
                chttp_resume(client)
            }
        default: break
        }
    }

    /// Resumes a request that waits.
    func answer(_ answer: HTTPAnswer) {
        guard case .waiting = phase, let client = suspended else { return }
        phase = .answered(answer)
        suspended = nil
        chttp_resume(client)
    }

    /// Goes on with a stream that has something to send.
    func goOn() {
        guard case .streaming = phase, let client = suspended else { return }
        suspended = nil
        connection.enter(.answering)
        chttp_resume(client)
    }

    /// Ends a stream, whatever is left to send.
    func cut() {
        guard case .streaming(let stream) = phase else { return }
        stream.end()
        goOn()
    }

    private func read(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard case .streaming(let stream) = phase, let client else { return -1 }
        switch stream.take(into: room) {
        case .bytes(let count):
            connection.enter(.answering)
            return count
        case .nothing:
            suspended = client
            connection.enter(.waiting)
            chttp_suspend(client)
            return 0
        case .end: return -1
        }
    }

    private func start(
        _ stream: HTTPStream, _ client: OpaquePointer, _ answer: HTTPAnswer,
        _ headers: [UnsafePointer<CChar>?]
    ) -> Bool {
        phase = .streaming(stream)
        self.client = client
        let inbox = connection.loop.inbox
        stream.attach { inbox.wake(self) }
        connection.loop.streams(self)
        return chttp_stream(
            client, answer.status, headers, Unmanaged.passUnretained(self).toOpaque()
        ) { request, _, bytes, room in
            Unmanaged<HTTPExchange>.fromOpaque(request!).takeUnretainedValue().read(
                UnsafeMutableRawBufferPointer(start: bytes, count: room))
        }
    }

    private func send(_ answer: HTTPAnswer, _ client: OpaquePointer) -> Bool {
        phase = .over
        releaseBody()
        connection.enter(.answering)
        return Self.withLines(of: answer) { headers in
            if let stream = answer.stream { return start(stream, client, answer, headers) }
            return answer.body.withUnsafeBufferPointer {
                chttp_answer(client, answer.status, $0.baseAddress, $0.count, headers)
            }
        }
    }

    /// Passes the names and values of the header lines, and a null pointer after the last one.
    private static func withLines(
        of answer: HTTPAnswer, _ body: ([UnsafePointer<CChar>?]) -> Bool
    ) -> Bool {
        func constant(_ text: StaticString) -> UnsafePointer<CChar> {
            UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        }
        return answer.contentType.withCString { type in
            var lines: [UnsafePointer<CChar>?] = [
                constant("Content-Type"), type, constant("Cache-Control"), constant("no-store"),
                constant("X-Content-Type-Options"), constant("nosniff"), nil, nil, nil,
            ]
            if answer.closes { lines[6...7] = [constant("Connection"), constant("close")] }
            guard !answer.headers.isEmpty else { return body(lines) }
            lines.removeLast(answer.closes ? 1 : 3)
            return withStrings(answer.headers.flatMap { [$0.name, $0.value] }) {
                body(lines + $0 + [nil])
            }
        }
    }

    /// Passes the texts as strings of C.
    private static func withStrings(
        _ lines: [String], _ body: ([UnsafePointer<CChar>?]) -> Bool
    ) -> Bool {
        var bytes: [CChar] = []
        var starts: [Int] = []
        for line in lines {
            starts.append(bytes.count)
            bytes += line.utf8CString
        }
        return bytes.withUnsafeBufferPointer { bytes in
            body(starts.map { bytes.baseAddress! + $0 })
        }
    }

    private func releaseBody() {
        connection.loop.unreserve(body.count)
        body = []
    }

    func end() {
        if case .streaming(let stream) = phase { stream.close() }
        phase = .over
        releaseBody()
        connection.loop.ended(self)
        connection.enter(.idle)
    }
}
