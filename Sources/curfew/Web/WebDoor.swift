// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc
import Service

/// The web page over TCP: where the configuration wants it, or on the machine itself once somebody asks.
final class WebDoor: Sendable {
    private struct Open {
        let server: HTTPServer
        let gate: WebGate
        /// `http://127.0.0.1:8700`
        let address: String
    }

    private let settings: WebSettings
    private let handle: @Sendable ([HTTPCall]) -> Void
    private let open = Locked<(door: Open?, isStopped: Bool)>((nil, false))

    /// - Parameter handle: see `HTTPServer`.
    init(_ settings: WebSettings, handle: @escaping @Sendable ([HTTPCall]) -> Void) {
        (self.settings, self.handle) = (settings, handle)
    }

    /// Opens it if the configuration wants that. Returns its address.
    func openIfConfigured() throws(HTTPServer.Failure) -> String? {
        settings.listen == nil ? nil : try opened().address
    }

    /// Returns a link that begins a session of a user.
    func link(for peer: HTTPPeer) throws(HTTPServer.Failure) -> String {
        let door = try opened()
        return "\(door.address)/?token=\(door.gate.link(for: peer))"
    }

    private func opened() throws(HTTPServer.Failure) -> Open {
        try open.withLock { (state) throws(HTTPServer.Failure) in
            if let door = state.door { return door }
            if state.isStopped { throw HTTPServer.Failure(reason: "the host ends") }
            let door = try made()
            state.door = door
            return door
        }
    }

    private func made() throws(HTTPServer.Failure) -> Open {
        let place = settings.listen.flatMap(TCPListener.parts) ?? ("127.0.0.1", 0)
        let listener = try TCPListener(place.address, port: place.port)
        let shown =
            place.address.utf8.contains(UInt8(ascii: ":")) ? "[\(place.address)]" : place.address
        var names = settings.names + ["\(shown):\(listener.port)"]
        // A name of the machine itself, which no server of names can give to another one.
        names.append("localhost:\(listener.port)")
        let isMeasurable = settings.metrics && settings.listen != nil
        let gate = WebGate(
            names: names, port: listener.port,
            measurer: isMeasurable
                ? HTTPPeer(user: geteuid(), group: getegid(), process: getpid()) : nil)
        var limits = HTTPServer.Limits()
        // Half of a user's usual limit of descriptors is for the control socket already.
        limits.connections = 256
        limits.foreignConnections = 256
        let server = try HTTPServer(
            .anonymous(listener, { gate.admit($0) }), limits: limits, handle: handle)
        let name = settings.names.first ?? "\(shown):\(listener.port)"
        return Open(server: server, gate: gate, address: "http://\(name)")
    }

    func stop(at deadline: UInt64) {
        let door = open.withLock { state in
            defer { state = (nil, true) }
            return state.door
        }
        door?.server.stop(at: deadline)
    }
}
