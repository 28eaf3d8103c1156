// SPDX-License-Identifier: Apache-2.0

/// The conditions that a request has while its task runs.
public struct RequestNeeds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A network.
    public static let network = RequestNeeds(rawValue: 1)
    /// Power from outside.
    public static let externalPower = RequestNeeds(rawValue: 2)

    /// Every bit that has a meaning.
    package static let all: RequestNeeds = [.network, .externalPower]
}
