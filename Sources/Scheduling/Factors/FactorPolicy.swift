// SPDX-License-Identifier: Apache-2.0

/// The factors that each request depends on, and the meaning of an unknown factor.
package struct FactorPolicy: Hashable, Sendable {
    /// Factors for which an unknown state delays launches. By default none: on a machine without
    /// sources everything is launched.
    package var unknownHolds: Set<Factor> = []
    /// Factors that are ignored. By default the first unlock, for which requests would wait for
    /// ever on a machine without logins.
    package var ignored: Set<Factor> = [.firstUnlock]

    /// Creates the default policy.
    package init() {}

    /// Returns the machine's factors that have to allow a launch and have to hold while its task
    /// runs.
    ///
    /// Besides its needs and the first unlock, where a host does not ignore that, a request waits
    /// only for what it wishes for. Work that a user has started
    /// waits for the heat alone, as in Apple's headers and "Background execution demystified" (WWDC
    /// 2020).
    package func factors(
        of kind: TaskKind, needs: RequestNeeds, opportunistic: RequestWish
    ) -> Set<Factor> {
        var factors: Set<Factor> = kind == .continuedProcessing ? [] : [.firstUnlock]
        if opportunistic != .no {
            factors.formUnion(
                kind == .continuedProcessing
                    ? [.thermal] : [.battery, .lowPowerMode, .thermal, .pressure])
        }
        if opportunistic == .idle { factors.insert(.idle) }
        if needs.contains(.network) { factors.insert(.network) }
        if needs.contains(.externalPower) { factors.insert(.externalPower) }
        return factors.subtracting(ignored)
    }

    /// Returns whether a factor in that state allows a launch.
    package func allows(_ factor: Factor, _ state: FactorState) -> Bool {
        switch state {
        case .yes: true
        case .no: ignored.contains(factor)
        case .unknown: ignored.contains(factor) || !unknownHolds.contains(factor)
        }
    }
}
