// SPDX-License-Identifier: Apache-2.0

/// A request of an app, in the form in which the host receives it.
package struct AppRequest: Sendable {
    package var identifier: String
    /// One of the constants `CURFEW_KIND_…`.
    package var kind: Int32
    /// Nanoseconds since 1970 in UTC; 0 for as soon as possible.
    package var earliest: Int64
    package var needsNetwork: Bool
    package var needsPower: Bool
    package var payload: [UInt8]

    /// Apple's limits of pending requests: of the kind app-refresh, and of every other kind.
    static let pendingLimits: (refresh: UInt32, other: UInt32) = (1, 10)

    package init(
        _ identifier: String, kind: Int32, earliest: Int64 = 0, needsNetwork: Bool = false,
        needsPower: Bool = false, payload: [UInt8] = []
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliest = earliest
        self.needsNetwork = needsNetwork
        self.needsPower = needsPower
        self.payload = payload
    }
}
