// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The line of plugins in processes of their own: a socket named `line` in the directory of TMPDIR, and for those with
/// `needs`, which make no such sockets, a port of this machine, whose number is in CURFEW_MISDEED_PORT.
///
/// A message is a letter, eight bytes of a number, and a text: `n` takes a note down, `w` waits until a
/// gate is open, `f` asks whether the form is that one, `p` for the harness' process id. Each is answered;
/// `ask` of Tests/Plugins/violations/violation.h is the other end.
final class SocketLine: @unchecked Sendable {
    // Sendable: after `lay` only its thread uses it.

    private let listeners: [Int32]
    private let form: String
    private var connections: [Int32] = []

    /// Makes the socket and the thread that answers; both stay for good.
    static func lay(in directory: String, form: String) {
        guard let made = SocketLine(in: directory, form: form) else {
            Harness.fail("no socket in \(directory): \(String(cString: strerror(errno)))")
        }
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { raw in
                Unmanaged<SocketLine>.fromOpaque(raw!).takeRetainedValue().answer()
            }, Unmanaged.passRetained(made).toOpaque())
        guard failure == 0 else { Harness.fail("no thread") }
    }

    private init?(in directory: String, form: String) {
        self.form = form
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        let port = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listeners = [listener, port]
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let path = Array("\(directory)/line".utf8)
        guard path.count < MemoryLayout.size(ofValue: name.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let isBound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener, 200) == 0, listen(port, 200) == 0 else { return nil }
        // Without bind(2) it has a port that the system picks.
        var place = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(port, $0, &size) == 0
            }
        }
        guard isKnown else { return nil }
        setenv("CURFEW_MISDEED_PORT", String(UInt16(bigEndian: place.sin_port)), 1)
    }

    private func answer() -> Never {
        while true {
            var waits = (listeners + connections).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&waits, nfds_t(waits.count), -1) > 0 else { continue }
            for wait in waits where wait.revents != 0 {
                if listeners.contains(wait.fd) {
                    let connection = accept(wait.fd, nil, nil)
                    if connection >= 0 { connections.append(connection) }
                } else if !answer(wait.fd) {
                    Record.shared.forget(wait.fd)
                    connections.removeAll { $0 == wait.fd }
                    close(wait.fd)
                }
            }
        }
    }

    /// Answers one message. Returns false at the end of the connection.
    private func answer(_ connection: Int32) -> Bool {
        var message = [UInt8](repeating: 0, count: 1_024)
        let count = recv(connection, &message, message.count, 0)
        guard count >= 9 else { return false }
        let text = String(decoding: message[9..<count], as: UTF8.self)
        let value = message[1..<9].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch message[0] {
        case UInt8(ascii: "n"):
            Record.shared.note(text, Int64(bitPattern: value))
            Self.send("done", to: connection)
        case UInt8(ascii: "w"): Record.shared.answer(connection, onceOpen: text)
        case UInt8(ascii: "f"): Self.send(text == form ? "yes" : "no", to: connection)
        case UInt8(ascii: "p"): Self.send(String(getpid()), to: connection)
        default: return false
        }
        return true
    }

    /// Sends an answer; nobody may be left to receive it.
    static func send(_ answer: String, to connection: Int32) {
        var answer = answer
        answer.withUTF8 {
            _ = Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }
}
