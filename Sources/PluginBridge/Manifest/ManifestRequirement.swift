// SPDX-License-Identifier: Apache-2.0

/// What must be there for a task to be launched and to go on.
public enum ManifestRequirement: String, Sendable, CaseIterable {
    case network
    case externalPower = "external-power"
}
