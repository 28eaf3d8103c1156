// SPDX-License-Identifier: Apache-2.0
import CMicroHTTP
import CSystem
internal import Glibc
package import PluginBridge

/// An HTTP/1.1 server on a Unix socket, by libmicrohttpd, on a thread of its own.
package final class HTTPServer: @unchecked Sendable {
    // Sendable: `thread` is used by `stop` alone, which is called once; the rest is constant.

    package struct Limits: Sendable {
        /// Further connections are closed at once.
        package var connections = 1_024
        /// Of each user besides the server's own and root, so that others get in.
        package var foreignConnections = 256
        /// The memory of a connection, in which libmicrohttpd has the head of a request, cut into its parts, and then
        /// the head of the answer: the first may take `HTTPHead.mostBytes` of it.
        package var headBytes = 16_384
        /// The most bytes of a body, and of all bodies at a time.
        package var bodyBytes = 4 << 20
        package var allBodyBytes = 32 << 20

        /// Nanoseconds in which the first line of a request has to come, and then its rest; that a connection
        /// may be idle after an answer; and that a client may take to read one.
        package var request: UInt64 = 10_000_000_000
        package var idle: UInt64 = 60_000_000_000
        package var answer: UInt64 = 30_000_000_000

        package init() {}
    }

    /// Why there is no server: lower case, no full stop.
    package struct Failure: Error, Sendable {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// Decides about a request before it is handed on. Called on the server's thread; must not block.
    package typealias Admission = @Sendable (HTTPRequest) -> HTTPAdmission

    /// The socket on which a server listens.
    package enum Place {
        /// One that the server makes in a directory, in which only this process makes sockets, and removes at
        /// its end. The mode has its permissions.
        case made(in: OwnedDescriptor, name: String, mode: UInt32)
        /// One that listens already, and stays.
        case given(OwnedDescriptor)
        /// One over TCP, whose clients nobody knows: the function says whose requests are whose.
        case anonymous(TCPListener, Admission)
    }

    private let place: Place
    private let inbox = HTTPInbox()
    private var thread: UInt64 = 0

    /// Listens on a socket.
    ///
    /// - Parameter handle: called on the server's thread with the requests that were read at the same time. It must
    ///   not block.
    package init(
        _ place: Place, limits: Limits = Limits(), handle: @escaping @Sendable ([HTTPCall]) -> Void
    ) throws(Failure) {
        if let failure = chttp_open() { throw Failure(reason: String(cString: failure)) }
        let listener = try Self.listen(place)
        self.place = place
        var admission: Admission?
        if case .anonymous(_, let own) = place { admission = own }
        guard let loop = HTTPLoop(listener, limits, inbox, admission, handle) else {
            csys_close(listener)
            throw Failure(reason: String(cString: strerror(ENOMEM)))
        }
        let body = UnsafeTransfer(loop)
        let isStarted = ThreadBody.start(
            {
                csys_thread_name("curfew-http")
                body.value.run()
            }, 0, &thread)
        guard isStarted else {
            csys_close(listener)
            throw Failure(reason: "no thread could be started")
        }
    }

    private static func listen(_ place: Place) throws(Failure) -> Int32 {
        switch place {
        case .made(let directory, let name, let mode):
            let listener = csys_socket_listen(directory.number, name, mode)
            guard listener >= 0 else {
                throw Failure(
                    reason: listener == -EEXIST
                        ? "\(name) is there, and is no socket"
                        : String(cString: strerror(-listener)))
            }
            return listener
        case .given(let socket): return try copy(of: socket)
        case .anonymous(let listener, _): return try copy(of: listener.socket)
        }
    }

    private static func copy(of socket: OwnedDescriptor) throws(Failure) -> Int32 {
        let listener = fcntl(socket.number, F_DUPFD_CLOEXEC, 3)
        guard listener >= 0, fcntl(listener, F_SETFL, O_NONBLOCK) == 0 else {
            throw Failure(reason: String(cString: strerror(errno)))
        }
        return listener
    }

    /// Why this machine can have no server: the dynamic linker's words; nil if it can.
    package static var lack: String? { chttp_open().map { String(cString: $0) } }

    /// Waits until the server's thread has looked at what came: for ever where it is stuck. Any thread but that one
    /// may call.
    package func awaitThread() { inbox.awaitLook() }

    /// Takes no further requests, and waits until those that were taken are answered, at most until a
    /// CLOCK_MONOTONIC time; the others are answered with 503.
    package func stop(at deadline: UInt64) {
        if case .made(let directory, let name, _) = place {
            csys_socket_remove(directory.number, name)
        }
        inbox.stop(at: deadline)
        _ = csys_thread_join_until(thread, .max)
    }
}

/// A value for the one thread that uses it.
private struct UnsafeTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
