// SPDX-License-Identifier: Apache-2.0

/// The rules of a list of permitted handlers, and those a handler breaks that is not on it; the raw
/// value is `Diagnostic.rule`.
package enum PermittedRule: String, Sendable, CaseIterable {
    case missingKey = "permitted-missing-key"
    case type = "permitted-type"
    case identifier = "permitted-identifier"
    case limit = "permitted-limit"
    case identifierNotListed = "permitted-identifier-not-listed"
    case modeNotListed = "permitted-mode-not-listed"
}
