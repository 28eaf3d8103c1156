// SPDX-License-Identifier: Apache-2.0

/// The form in which a roll-up is stored where a row has no array: each number in groups of seven bits, the lowest
/// first, with the eighth bit set in all but its last byte. Zeros at the end are left out.
extension Rollup {
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        let last = numbers.lastIndex { $0 != 0 } ?? -1
        for number in numbers[..<(last + 1)] {
            var rest = UInt64(bitPattern: number)
            while rest > 127 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes
    }

    /// Fails if the bytes are no roll-up's.
    package init?(bytes: [UInt8]) {
        var numbers: [Int64] = []
        var (number, shift) = (UInt64(0), 0)
        for byte in bytes {
            guard shift < 63 else { return nil }
            number |= UInt64(byte & 127) << UInt64(shift)
            shift += 7
            guard byte < 128 else { continue }
            guard number <= UInt64(Int64.max) else { return nil }
            numbers.append(Int64(number))
            (number, shift) = (0, 0)
        }
        guard shift == 0 else { return nil }
        self.init(numbers)
    }
}
