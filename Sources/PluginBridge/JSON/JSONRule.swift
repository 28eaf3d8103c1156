// SPDX-License-Identifier: Apache-2.0

/// The rules a JSON text can break; the raw value is `Diagnostic.rule`.
package enum JSONRule: String, Sendable, CaseIterable {
    case size = "json-size"
    case empty = "json-empty"
    case byteOrderMark = "json-byte-order-mark"
    case encoding = "json-encoding"
    case depth = "json-depth"
    case syntax = "json-syntax"
    case unfinished = "json-unfinished"
    case trailingText = "json-trailing-text"
    case trailingComma = "json-trailing-comma"
    case comment = "json-comment"
    case number = "json-number"
    case controlCharacter = "json-control-character"
    case escape = "json-escape"
    case surrogate = "json-surrogate"
    case duplicateKey = "json-duplicate-key"
}
