// SPDX-License-Identifier: Apache-2.0

/// The rules the text or the bytes of a property list can break; the raw value is
/// `Diagnostic.rule`.
package enum PropertyListRule: String, Sendable, CaseIterable {
    case file = "plist-file"
    case size = "plist-size"
    case format = "plist-format"
    case encoding = "plist-encoding"
    case depth = "plist-depth"
    case syntax = "plist-syntax"
    case unfinished = "plist-unfinished"
    case trailingText = "plist-trailing-text"
    case documentType = "plist-document-type"
    case entity = "plist-entity"
    case element = "plist-element"
    case value = "plist-value"
    case duplicateKey = "plist-duplicate-key"
    case trailer = "plist-trailer"
    case object = "plist-object"
    case cycle = "plist-cycle"
}
