// SPDX-License-Identifier: Apache-2.0

/// The format of an integer.
public struct OSLogIntegerFormatting: Sendable {
    private let radix: Int
    private let minDigits: Int

    /// To the base ten.
    public static var decimal: OSLogIntegerFormatting {
        OSLogIntegerFormatting(radix: 10, minDigits: 0)
    }
    /// To the base ten, with zeros before it.
    public static func decimal(minDigits: Int) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(radix: 10, minDigits: minDigits)
    }
    /// To the base sixteen.
    public static var hex: OSLogIntegerFormatting {
        OSLogIntegerFormatting(radix: 16, minDigits: 0)
    }
    /// To the base eight.
    public static var octal: OSLogIntegerFormatting {
        OSLogIntegerFormatting(radix: 8, minDigits: 0)
    }

    func text(_ number: some FixedWidthInteger) -> String {
        let digits = String(number.magnitude, radix: radix)
        let zeros = String(repeating: "0", count: max(0, minDigits - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}
