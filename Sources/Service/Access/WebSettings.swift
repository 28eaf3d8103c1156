// SPDX-License-Identifier: Apache-2.0

/// The settings of the web page over TCP in a configuration. It is on the control socket in any case.
package struct WebSettings: Hashable, Sendable {
    /// An address in numbers, and a port: `127.0.0.1:8700`; nil: none is listened on until somebody asks for it.
    package var listen: String?
    /// The names besides the address by which browsers may know the host, with a port unless it is the usual one.
    package var names: [String] = []
    /// Whether `/metrics` is answered there without a session.
    package var metrics = false

    package init() {}
}
