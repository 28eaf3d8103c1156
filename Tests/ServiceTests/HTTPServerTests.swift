import CurfewValues
// SPDX-License-Identifier: Apache-2.0
import Foundation
import PluginBridge
import TestSupport
import Testing

@testable import Service

/// The server of the control socket: clients that take their time, and the ends of its calls.
@Suite("The HTTP server")
struct HTTPServerTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Runs a script in Python beside a server. `client()` is a connected socket, `rest(c)` all that comes until
    /// the end, `get(path)` a request.
    private func serve(
        _ limits: HTTPServer.Limits, _ script: String,
        handle: @escaping @Sendable ([HTTPCall]) -> Void = { calls in
            for call in calls { call.answer(HTTPAnswer(json: "\"\(call.request.body.count)\"")) }
        }
    ) throws -> String {
        let folder = try #require(
            OwnedDescriptor(open(files.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
        let server = try HTTPServer(
            .made(in: folder, name: "socket", mode: 0o600), limits: limits, handle: handle)
        defer { server.stop(at: 0) }
        let head = """
            import os, re, select, socket, sys, threading, time
            def client():
                made = socket.socket(socket.AF_UNIX)
                made.settimeout(30)
                made.connect(sys.argv[1])
                return made
            def rest(made):
                data = b""
                try:
                    while True:
                        part = made.recv(65536)
                        if not part: break
                        data += part
                except ConnectionResetError: pass
                return data
            def get(path="/"):
                return ("GET %s HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n" % path).encode()
            def post(data, count=None):
                return b"POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % (
                    len(data) if count is None else count) + data
            def status(data):
                return re.findall(rb"HTTP/1.1 (\\d+)", data)

            """
        let run = try ChildProcess.run(
            "python3", ["-c", head + script, files.path("socket")], limit: .seconds(60))
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    private static let impatient: HTTPServer.Limits = {
        var limits = HTTPServer.Limits()
        limits.request = 200_000_000
        limits.idle = 200_000_000
        limits.answer = 200_000_000
        return limits
    }()

    @Test("a client that sends a byte now and then is ended, before its first line and after it")
    func drip() throws {
        let output = try serve(
            Self.impatient,
            """
            for beginning in (b"", b"GET / HTTP/1.1\\r\\n", b"POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 99\\r\\nContent-Type: application/json\\r\\n\\r\\n"):
                slow = client()
                slow.sendall(beginning)
                sent = 0
                try:
                    while not select.select([slow], [], [], 0.01)[0]:
                        slow.sendall(b"X")
                        sent += 1
                except BrokenPipeError: pass
                print(status(rest(slow)), 0 < sent < 200)
            """)
        #expect(output == "[] True\n[] True\n[] True\n", "\(output)")
    }

    @Test("an idle connection is ended, one that is used is not")
    func idle() throws {
        let output = try serve(
            Self.impatient,
            """
            used = client()
            for _ in range(8):
                used.sendall(get())
                print(status(used.recv(65536)), end=" ")
                select.select([], [], [], 0.05)
            print(rest(used))
            """)
        #expect(output == String(repeating: "[b'200'] ", count: 8) + "b''\n", "\(output)")
    }

    @Test("a client that does not read its answer is ended")
    func unread() throws {
        let output = try serve(
            Self.impatient,
            """
            silent = client()
            silent.sendall(get())
            ended = select.poll()
            ended.register(silent, select.POLLHUP)
            print(len(ended.poll(20000)))
            """
        ) { calls in
            for call in calls {
                call.answer(HTTPAnswer(200, Array(repeating: 65, count: 8 << 20), "text/plain"))
            }
        }
        #expect(output == "1\n", "\(output)")
    }

    @Test("a client that closes one direction is answered, and ended in the middle of a request")
    func halfClosed() throws {
        let output = try serve(
            HTTPServer.Limits(),
            """
            for data in (get(), post(b"{}"), get()[:-1], post(b"{}", 5), b"G"):
                half = client()
                half.sendall(data)
                half.shutdown(socket.SHUT_WR)
                print(status(rest(half)))
            """)
        #expect(output == "[b'200']\n[b'200']\n[]\n[]\n[]\n", "\(output)")
    }

    @Test("there are as many connections as may be, and places of clients that have left are free")
    func many() throws {
        var limits = HTTPServer.Limits()
        limits.connections = 4
        let output = try serve(
            limits,
            """
            held = [client() for _ in range(4)]
            for each in held:
                each.sendall(get())
                print(status(each.recv(65536)), end=" ")
            print(rest(client()).split(b"\\r\\n\\r\\n")[1])
            for each in held: each.close()
            left = [client() for _ in range(4)]
            for each in left:
                each.sendall(b"G")
                each.close()
            again = client()
            again.sendall(get())
            print(status(again.recv(65536)))
            """)
        let refused =
            #"b'{"error":{"code":"busy","message":"the host has 4 connections, and takes no more","#
            + #""help":["close one, or try again once one is closed"]}}\n'"#
        #expect(
            output == String(repeating: "[b'200'] ", count: 4) + refused + "\n[b'200']\n",
            "\(output)")
    }

    @Test("a blank before a colon is refused, and its body is no request of its own")
    func blankNames() throws {
        let output = try serve(
            HTTPServer.Limits(),
            """
            for line in (b"Content-Length : 27", b"Transfer-Encoding : chunked", b"X Y: 1", b"\\xc3\\xa9: 1"):
                one = client()
                one.sendall(b"POST / HTTP/1.1\\r\\nHost: a\\r\\n" + line + b"\\r\\n\\r\\n" + get())
                print(status(rest(one)), end=" ")
            """)
        #expect(output == "[b'400'] [b'400'] [b'400'] [b'400'] ", "\(output)")
    }

    @Test("a client that waits to be told to go on is told at once that its body is too large")
    func expecting() throws {
        var limits = HTTPServer.Limits()
        limits.bodyBytes = 10
        let output = try serve(
            limits,
            """
            for count in (10, 11):
                one = client()
                head, data = post(b"x" * count).split(b"\\r\\n\\r\\n")
                one.sendall(head + b"\\r\\nExpect: 100-continue\\r\\n\\r\\n")
                print(status(one.recv(65536)), end=" ")
            """)
        #expect(output == "[b'100'] [b'413'] ", "\(output)")
    }

    @Test("bodies have a limit, each and together")
    func bodies() throws {
        var limits = HTTPServer.Limits()
        limits.bodyBytes = 1_000
        limits.allBodyBytes = 1_500
        let output = try serve(
            limits,
            """
            def chunks(*sizes):
                head = b"POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n"
                return head + b"".join(b"%x\\r\\n" % size + b"x" * size + b"\\r\\n" for size in sizes) + b"0\\r\\n\\r\\n"
            for data in (post(b"x" * 1000), post(b"x" * 1001), chunks(600, 400), chunks(600, 401)):
                one = client()
                one.sendall(data)
                one.shutdown(socket.SHUT_WR)
                print(status(rest(one)), end=" ")
            holding = client()
            holding.sendall(post(b"x" * 999, 1000))
            # It was read once a later client's call is answered.
            other = client()
            other.sendall(get())
            other.recv(65536)
            second = client()
            second.sendall(post(b"x" * 800))
            second.shutdown(socket.SHUT_WR)
            print(status(rest(second)))
            holding.sendall(b"x")
            print(holding.recv(65536)[-7:])
            second = client()
            second.sendall(post(b"x" * 800))
            print(status(second.recv(65536)))
            """)
        #expect(
            output
                == "[b'200'] [b'413'] [b'200'] [b'413'] [b'429']\nb'\"1000\"\\n'\n[b'200']\n",
            "\(output)")
    }

    @Test("a call that nobody answers is answered, and only the first answer counts")
    func answers() throws {
        let output = try serve(
            HTTPServer.Limits(),
            """
            one = client()
            for path in ("/drop", "/twice", "/later"):
                one.sendall(get(path))
                print(status(one.recv(65536)))
            """
        ) { calls in
            for call in calls {
                switch call.request.target.path[0] {
                case "drop": break
                case "later": Thread.detachNewThread { call.answer(HTTPAnswer(json: "1")) }
                default:
                    call.answer(HTTPAnswer(201, json: "1"))
                    call.answer(HTTPAnswer(202, json: "2"))
                }
            }
        }
        #expect(output == "[b'500']\n[b'201']\n[b'200']\n", "\(output)")
    }

    @Test("sixty-four that wait do not hold up sixty-four others")
    func suspended() throws {
        let output = try serve(
            HTTPServer.Limits(),
            """
            waiting = [client() for _ in range(64)]
            for each in waiting: each.sendall(get("/wait"))
            busy = [client() for _ in range(64)]
            for _ in range(200):
                for each in busy: each.sendall(get())
                for each in busy: assert status(each.recv(65536)) == [b"200"]
            busy[0].sendall(get("/free"))
            print(sum(status(each.recv(65536)) == [b"200"] for each in waiting))
            """, handle: Turnstile().handle)
        #expect(output == "64\n", "\(output)")
    }

    /// Keeps calls of `/wait` until one of `/free` comes.
    private final class Turnstile: Sendable {
        private let kept = Locked<[HTTPCall]>([])

        var handle: @Sendable ([HTTPCall]) -> Void {
            { calls in
                for call in calls {
                    if call.request.target.path[0] == "wait" {
                        self.kept.withLock { $0.append(call) }
                        continue
                    }
                    call.answer(HTTPAnswer(json: "1"))
                    guard call.request.target.path[0] == "free" else { continue }
                    for call in self.kept.exchange([]) { call.answer(HTTPAnswer(json: "1")) }
                }
            }
        }
    }

    @Test("a target is decoded once, and none with a control character is taken")
    func targets() {
        #expect(HTTPTarget("/v1/a%2Fb?x=1%26&y+z=%C3%A9&w")?.path == ["v1", "a/b"])
        let query = HTTPTarget("/v1?x=1%26&y+z=%C3%A9&w")?.query.map { "\($0.name):\($0.value)" }
        #expect(query == ["x:1&", "y z:é", "w:"])
        #expect(HTTPTarget("/%2541")?.path == ["%41"])
        #expect(HTTPTarget("/")?.path == [""] && HTTPTarget("//")?.path == ["", ""])
        for wrong in [
            "", "a", "*", "http://a/", "/%", "/%4", "/%zz", "/%00", "/%0a", "/%7f", "/%ff", "/ a",
            "/é",
        ] {
            #expect(HTTPTarget(wrong) == nil, "\(wrong)")
        }
    }
}
