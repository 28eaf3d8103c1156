// SPDX-License-Identifier: Apache-2.0

/// What tells a service the factors of the machine: power, network, idleness, …
package enum FactorOrigin: String, Sendable, CaseIterable {
    /// The files of the kernel.
    case kernel
    /// Services of the system's bus, and the kernel's files where none of them knows.
    case bus
    /// Nothing: all factors are unknown.
    case none
}
