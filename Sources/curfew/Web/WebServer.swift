// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc
import Service

/// The web page over TCP: where the configuration wants it, or on the machine itself once somebody asks.
final class WebServer: Sendable {
    private struct Running {
        let server: HTTPServer
        let access: WebAccess
        /// `http://127.0.0.1:8700`
        let address: String
    }

    private let settings: WebSettings
    private let handle: @Sendable ([HTTPCall]) -> Void
    private let running = Locked<(web: Running?, isStopped: Bool)>((nil, false))

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
        let web = try opened()
        return "\(web.address)/?token=\(web.access.link(for: peer))"
    }

    private func opened() throws(HTTPServer.Failure) -> Running {
        try running.withLock { (state) throws(HTTPServer.Failure) in
            if let web = state.web { return web }
            if state.isStopped { throw HTTPServer.Failure(reason: "the host ends") }
            let web = try made()
            state.web = web
            return web
        }
    }

    private func made() throws(HTTPServer.Failure) -> Running {
        let place = settings.listen.flatMap(TCPListener.parts) ?? ("127.0.0.1", 0)
        let listener = try TCPListener(place.address, port: place.port)
        let shown =
            place.address.utf8.contains(UInt8(ascii: ":")) ? "[\(place.address)]" : place.address
        var names = settings.names + ["\(shown):\(listener.port)"]
        // A name of the machine itself, which no server of names can give to another one.
        names.append("localhost:\(listener.port)")
        let isScraped = settings.metrics && settings.listen != nil
        let access = WebAccess(
            names: names, port: listener.port,
            scraper: isScraped
                ? HTTPPeer(user: geteuid(), group: getegid(), process: getpid()) : nil)
        var limits = HTTPServer.Limits()
        // Half of a user's usual limit of descriptors is for the control socket already.
        limits.connections = 256
        limits.foreignConnections = 256
        let server = try HTTPServer(
            .anonymous(listener, { access.admit($0) }), limits: limits, handle: handle)
        let name = settings.names.first ?? "\(shown):\(listener.port)"
        return Running(server: server, access: access, address: "http://\(name)")
    }

    func stop(at deadline: UInt64) {
        let web = running.withLock { state in
            defer { state = (nil, true) }
            return state.web
        }
        web?.server.stop(at: deadline)
    }
}
