// SPDX-License-Identifier: Apache-2.0

/// The conditions for a request's launch, which must hold while its task runs.
public struct RequestNeeds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Requires a network.
    public static let network = RequestNeeds(rawValue: 1)
    /// Requires external power.
    public static let externalPower = RequestNeeds(rawValue: 2)

    /// All conditions.
    package static let all: RequestNeeds = [.network, .externalPower]
}
