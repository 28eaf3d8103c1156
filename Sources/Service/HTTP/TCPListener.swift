// SPDX-License-Identifier: Apache-2.0
import CSystem
internal import Glibc
package import PluginBridge

/// A TCP socket that listens.
package struct TCPListener {
    package let socket: OwnedDescriptor
    /// Its port.
    package let port: UInt16

    /// The address of a text: `127.0.0.1:8700`, `[::1]:8700`. Nil if it is none; names are not looked up.
    package static func parts(of text: String) -> (address: String, port: UInt16)? {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[text.utf8.index(after: colon)...]),
            text[text.utf8.index(after: colon)...].utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        var address = text[..<colon]
        if address.utf8.first == UInt8(ascii: "[") {
            guard address.utf8.last == UInt8(ascii: "]") else { return nil }
            address = address.dropFirst().dropLast()
        } else if address.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        let found = String(address)
        return resolved(found, port).map {
            freeaddrinfo($0)
            return (found, port)
        }
    }

    private static func resolved(
        _ address: String, _ port: UInt16
    ) -> UnsafeMutablePointer<addrinfo>? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard !address.isEmpty, getaddrinfo(address, "\(port)", &hints, &found) == 0 else {
            return nil
        }
        return found
    }

    /// - Parameters:
    ///   - address: in numbers.
    ///   - port: 0 for one that is free.
    package init(_ address: String, port: UInt16) throws(HTTPServer.Failure) {
        guard let found = Self.resolved(address, port) else {
            throw HTTPServer.Failure(reason: "\(address) is no address")
        }
        defer { freeaddrinfo(found) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard let socket = OwnedDescriptor(Glibc.socket(found.pointee.ai_family, kind, 0)) else {
            throw Self.failure()
        }
        var isOn: Int32 = 1
        setsockopt(
            socket.number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        guard bind(socket.number, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
            listen(socket.number, 128) == 0
        else { throw Self.failure() }
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isNamed = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket.number, $0, &length) == 0
            }
        }
        guard isNamed else { throw Self.failure() }
        self.socket = socket
        // Both kinds of addresses have it in the same place.
        self.port = UInt16(bigEndian: name.sin6_port)
    }

    private static func failure() -> HTTPServer.Failure {
        HTTPServer.Failure(reason: String(cString: strerror(errno)))
    }
}
