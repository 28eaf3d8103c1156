// SPDX-License-Identifier: Apache-2.0

/// A text of a plugin's as it was taken over, and what was wrong with it.
struct PluginText {
    /// A defect of a text that is accepted all the same.
    struct Flaw {
        let rule: ContractRule
        /// The effect.
        let answer: String
    }

    let text: String
    let flaw: Flaw?

    /// Reads at most `limit` bytes; malformed UTF-8 is repaired.
    init(_ start: UnsafePointer<CChar>?, _ bytes: UInt64, limit: Int) {
        guard let start, bytes > 0 else {
            text = ""
            flaw =
                bytes == 0
                ? nil
                : Flaw(
                    rule: .malformedText,
                    answer: "the text is NULL and has \(bytes) bytes; it is taken as empty")
            return
        }
        let taken = Int(min(bytes, UInt64(limit)))
        let buffer = UnsafeRawBufferPointer(start: start, count: taken)
        if bytes > UInt64(limit) {
            text = String(decoding: buffer, as: UTF8.self)
            flaw = Flaw(
                rule: .longText,
                answer: "the text has \(bytes) bytes; the first \(limit) are kept")
        } else if buffer.allSatisfy({ $0 < 0x80 }) {
            // Most are; validating costs a thousand instructions, however short the text.
            text = String(decoding: buffer, as: UTF8.self)
            flaw = nil
        } else if let sound = String(validating: buffer, as: UTF8.self) {
            text = sound
            flaw = nil
        } else {
            text = String(decoding: buffer, as: UTF8.self)
            flaw = Flaw(
                rule: .malformedText, answer: "the text is not UTF-8; it was repaired with U+FFFD")
        }
    }
}
