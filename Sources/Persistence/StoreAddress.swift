// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Where a store is: in a directory, or on a server.
package enum StoreAddress: Hashable, Sendable {
    case directory(String)
    case server(PostgresAddress)

    /// Reads a path, or a URL with the scheme postgresql or postgres.
    ///
    /// Throws `.denied` for a malformed URL, and for one with another scheme: it is no directory, and may have a
    /// password, which a path would be shown with.
    package init(_ text: String) throws(StoreFault) {
        if let scheme = Self.scheme(of: text), !PostgresAddress.isAddress(text) {
            throw StoreFault(
                .denied,
                "the store's URL has the scheme \"\(scheme)\", and a store is a directory, or postgresql://USER@HOST:PORT/DATABASE"
            )
        }
        if Self.isConnectionString(text) {
            throw StoreFault(
                .denied,
                "a store on a server is named by a URL, postgresql://USER@HOST:PORT/DATABASE, and not by NAME=VALUE"
            )
        }
        self =
            PostgresAddress.isAddress(text) ? .server(try PostgresAddress(text)) : .directory(text)
    }

    /// The scheme of a URL, the part before `://` (RFC 3986 section 3.1); nil if it has none.
    private static func scheme(of text: String) -> String? {
        let name = text.utf8.prefix {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard !name.isEmpty, text.utf8.dropFirst(name.count).starts(with: "://".utf8) else {
            return nil
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Returns whether a text is the other form in which libpq is told where a server is, which may have a password.
    private static func isConnectionString(_ text: String) -> Bool {
        let name = text.drop { $0 == " " }.prefix { $0 != "=" && $0 != " " }
        return text.contains("=")
            && [
                "host", "hostaddr", "port", "dbname", "user", "password", "service", "sslmode",
                "passfile",
            ].contains(name)
    }

    /// Identifies the store: its path, or its server, database and schema.
    package var key: String {
        switch self {
        case .directory(let path): path
        case .server(let address): address.key
        }
    }

    /// For people: without a password.
    package var text: String {
        switch self {
        case .directory(let path): path
        case .server(let address): address.text
        }
    }
}
