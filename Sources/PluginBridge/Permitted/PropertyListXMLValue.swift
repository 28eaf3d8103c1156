// SPDX-License-Identifier: Apache-2.0

/// The syntax of the plain elements of a property list in XML.
enum PropertyListXMLValue {
    /// A whole number of 64 bits, with or without a sign, decimal or as `0x` and digits.
    static func isInteger(_ text: String) -> Bool {
        let hasSign = text.hasPrefix("-") || text.hasPrefix("+")
        let digits = text.dropFirst(hasSign ? 1 : 0)
        guard digits.utf8.first.map(isDigit) == true else { return false }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            let hexadecimal = digits.dropFirst(2)
            return hexadecimal.utf8.first.map { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }
                == true && UInt64(hexadecimal, radix: 16) != nil
        }
        return text.hasPrefix("-") ? Int64(text) != nil : UInt64(digits) != nil
    }

    /// A number with a point or an exponent, or one of the words for what is none.
    static func isReal(_ text: String) -> Bool {
        let words = ["nan", "inf", "infinity", "+infinity", "-infinity", "+inf", "-inf"]
        if words.contains(text.lowercased()) { return true }
        let isPlain = text.utf8.allSatisfy {
            isDigit($0) || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
                || $0 | 0x20 == UInt8(ascii: "e")
        }
        return isPlain && text.utf8.count <= 64 && Double(text) != nil
    }

    /// `2026-01-31T12:00:00Z`.
    static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 else { return false }
        for (byte, form) in zip(bytes, "0000-00-00T00:00:00Z".utf8) {
            guard form == UInt8(ascii: "0") ? isDigit(byte) : byte == form else { return false }
        }
        func number(_ offset: Int) -> UInt8 {
            (bytes[offset] - UInt8(ascii: "0")) * 10 + bytes[offset + 1] - UInt8(ascii: "0")
        }
        return (1...12).contains(number(5)) && (1...31).contains(number(8)) && number(11) < 24
            && number(14) < 60 && number(17) < 60
    }

    /// Groups of four characters, the last one filled up with `=`; white space is free.
    static func isBase64(_ text: String) -> Bool {
        var count = 0
        var padding = 0
        for byte in text.utf8 where byte > 0x20 {
            count += 1
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            let letter = byte | 0x20
            guard
                isDigit(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) && byte >= 0x41
                    || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
            else { return false }
            guard padding == 0 else { return false }
        }
        return count.isMultiple(of: 4) && padding <= 2
    }

    /// The character of an entity's name, `lt`, or of its number, `#38` or `#x26`.
    static func character(named name: String) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number)
        else { return nil }
        switch number {
        case 0x09, 0x0A, 0x0D, 0x20..<0xFFFE, 0x1_0000...: return scalar
        default: return nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
