// SPDX-License-Identifier: Apache-2.0

/// The number by which a signature of minisign names its key.
///
/// It is chosen at random when a key is made. It finds the key and proves nothing.
package struct MinisignKeyID: Hashable, Sendable, CustomStringConvertible {
    private let number: UInt64

    /// Reads the eight bytes of a file, the lowest one first.
    init(_ bytes: ArraySlice<UInt8>) {
        number = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads the hexadecimal digits that minisign prints; nil for another text.
    package init?(_ text: String) {
        guard 1...16 ~= text.utf8.count, text.utf8.first != UInt8(ascii: "+"),
            let number = UInt64(text, radix: 16)
        else { return nil }
        self.number = number
    }

    /// The digits that minisign prints, up to 16: it leaves out zeros before them.
    package var description: String { String(number, radix: 16, uppercase: true) }
}
