// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Where a store is: in a directory, or on a server.
package enum StoreAddress: Hashable, Sendable {
    case directory(String)
    case server(PostgresAddress)

    /// Reads a path, or a URL with the scheme postgresql or postgres.
    package init(_ text: String) throws(StoreFault) {
        self =
            PostgresAddress.isAddress(text) ? .server(try PostgresAddress(text)) : .directory(text)
    }

    /// For people: without a password.
    package var text: String {
        switch self {
        case .directory(let path): path
        case .server(let address): address.text
        }
    }
}
