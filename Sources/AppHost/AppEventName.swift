// SPDX-License-Identifier: Apache-2.0

/// Names for the events of an app's handlers. Apple's identifiers may have any characters; event
/// names have lower-case letters, digits and `_`, begin with a letter, and have at most 100 bytes.
enum AppEventName {
    /// Returns the name from the identifier's last component, and for the case that it is taken,
    /// the name from the whole identifier.
    static func candidates(of identifier: String) -> [String] {
        let last = identifier.split(separator: ".").last.map(String.init) ?? identifier
        return [tame(last), tame(identifier)]
    }

    private static func tame(_ text: String) -> String {
        let plain = text.lowercased().utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        let name = String(decoding: plain.suffix(95), as: UTF8.self)
        return name.first?.isLetter == true
            ? name : "task" + (name.hasPrefix("_") ? "" : "_") + name
    }
}
