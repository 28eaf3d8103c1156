// SPDX-License-Identifier: Apache-2.0

/// The rules that a configuration can break; the raw value is `Diagnostic.rule`.
package enum ConfigurationRule: String, Sendable, CaseIterable {
    case file = "configuration-file"
    case type = "configuration-type"
    case missingKey = "configuration-missing-key"
    case unknownKey = "configuration-unknown-key"
    case value = "configuration-value"
    case schedule = "configuration-schedule"
    case duplicate = "configuration-duplicate"
}
