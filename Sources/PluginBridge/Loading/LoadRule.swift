// SPDX-License-Identifier: Apache-2.0

/// The rules that loading a plugin can break; the raw value is the name of its `Fault`.
package enum LoadRule: String, Sendable, CaseIterable {
    case open = "load-open"
    case note = "load-note"
    case abi = "load-abi"
    case symbol = "load-symbol"
    case entry = "load-entry"
    case identity = "load-identity"
    case unregistered = "load-unregistered"
    case taken = "load-taken"
    case undeclared = "load-undeclared"
    case owner = "load-owner"
    case writable = "load-writable"
    case file = "load-file"
    case unstable = "load-unstable"
    case copy = "load-copy"
    case beside = "load-beside"
    case link = "load-link"
    case pin = "load-pin"
    case unpinned = "load-unpinned"
    case digest = "load-digest"
    case search = "load-search-path"
    case systemLibrary = "load-system-library"
    case function = "load-function"
    case sub = "load-sub"
    case damaged = "load-damaged"
    case trial = "load-trial"
    case needed = "load-needed"
    case unsigned = "load-unsigned"
    case signatureFile = "load-signature-file"
    case signatureLegacy = "load-signature-legacy"
    case signatureKey = "load-signature-key"
    case signaturePrefix = "load-signature-prefix"
    case signatureWrong = "load-signature-wrong"
    case signatureComment = "load-signature-comment"
    case signatureDigest = "load-signature-digest"
    case downgrade = "load-downgrade"
    case quarantined = "load-quarantined"

    /// Whether the rule is about who made the plugin, and not about the plugin itself.
    package var isOfTrust: Bool {
        switch self {
        case .unsigned, .signatureFile, .signatureLegacy, .signatureKey, .signaturePrefix,
            .signatureWrong, .signatureComment, .signatureDigest, .downgrade:
            true
        case .open, .note, .abi, .symbol, .entry, .identity, .unregistered, .taken, .undeclared,
            .owner, .writable, .file, .unstable, .copy, .beside, .link, .pin, .unpinned, .digest,
            .search, .systemLibrary, .function, .sub, .damaged, .trial, .needed, .quarantined:
            false
        }
    }
}
