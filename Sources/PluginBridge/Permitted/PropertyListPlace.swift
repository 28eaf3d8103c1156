// SPDX-License-Identifier: Apache-2.0

/// A position in a property list, if its format has positions.
enum PropertyListPlace {
    /// In XML: where it begins, and how many columns to underline.
    case text(JSONPosition, width: Int)
    /// In the binary form: the offset of its first byte.
    case byte(Int)
}

extension DiagnosticSource {
    /// Describes a fault of a property list.
    func diagnostic(
        at place: PropertyListPlace, rule: String, message: String, help: String
    ) -> Diagnostic {
        switch place {
        case .text(let position, let width):
            diagnostic(at: position, width: width, rule: rule, message: message, help: help)
        case .byte(let offset):
            // Bytes have no line that could be shown.
            diagnostic(rule: rule, message: "\(message), at byte \(offset)", help: help)
        }
    }
}
