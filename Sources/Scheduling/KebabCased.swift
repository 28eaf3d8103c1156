// SPDX-License-Identifier: Apache-2.0

/// An enumeration whose cases have a word in text and JSON: their names in kebab case, such as
/// `low-power-mode`. Renaming a case changes what the command prints.
package protocol KebabCased {}

extension KebabCased {
    /// The word used in text and JSON.
    package var name: String {
        var word: [UInt8] = []
        for byte in "\(self)".utf8 {
            let isUppercase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUppercase { word.append(UInt8(ascii: "-")) }
            word.append(isUppercase ? byte | 0x20 : byte)
        }
        return String(decoding: word, as: UTF8.self)
    }
}

extension KebabCased where Self: CaseIterable {
    /// Reads the word used in text and JSON.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

extension EventType: KebabCased {}
