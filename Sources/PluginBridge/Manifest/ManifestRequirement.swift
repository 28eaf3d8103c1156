// SPDX-License-Identifier: Apache-2.0

/// A condition for launching a task, and for continuing it.
package enum ManifestRequirement: String, Sendable, CaseIterable {
    case network
    case externalPower = "external-power"
}
