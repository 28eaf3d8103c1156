// SPDX-License-Identifier: Apache-2.0

/// The factors that each request depends on, and the meaning of an unknown factor.
public struct FactorPolicy: Hashable, Sendable {
    /// Factors for which "unknown" holds back. By default none: on a machine without sources
    /// everything is launched.
    public var unknownHolds: Set<Factor> = []
    /// Factors that are ignored. By default the first unlock, for which requests would wait for
    /// ever on a machine without logins.
    public var ignored: Set<Factor> = [.firstUnlock]

    /// As the members say by default.
    public init() {}

    /// The machine's factors that have to allow a launch, and hold while its task runs.
    ///
    /// A refresh does not wait for an idle machine, all other long work does, and what a user has
    /// begun waits for the heat alone: as Apple's headers and "Background execution demystified"
    /// (WWDC 2020) have it.
    package func factors(of kind: TaskKind, needs: RequestNeeds) -> Set<Factor> {
        var factors: Set<Factor>
        switch kind {
        case .appRefresh:
            factors = [.battery, .lowPowerMode, .thermal, .pressure, .firstUnlock]
        case .processing, .healthResearch:
            factors = [.battery, .lowPowerMode, .thermal, .pressure, .firstUnlock, .idle]
        case .continuedProcessing:
            factors = [.thermal]
        }
        if needs.contains(.network) { factors.insert(.network) }
        if needs.contains(.externalPower) { factors.insert(.externalPower) }
        return factors.subtracting(ignored)
    }

    /// True where a factor in that state lets a launch pass.
    package func allows(_ factor: Factor, _ state: FactorState) -> Bool {
        switch state {
        case .yes: true
        case .no: ignored.contains(factor)
        case .unknown: ignored.contains(factor) || !unknownHolds.contains(factor)
        }
    }
}
