// SPDX-License-Identifier: Apache-2.0

/// A time zone of the IANA database, read from the bytes of a TZif file: RFC 9636, tzfile(5).
///
/// Designations, such as "CEST", and the indicators of standard time are skipped, since no offset
/// depends on them.
package struct ZoneFile: TimeZoneRules, Hashable {
    /// The instants at which the offset may change, ascending, in seconds since 1970 in UTC.
    private let transitions: [Int64]
    /// The seconds east of UTC: the offset at index n is that before transition n, and the last one
    /// is that after all transitions.
    private let offsets: [Int32]
    /// The rule for the time after the last transition; nil if the last offset stays.
    private let rule: ZoneRule?

    /// Reads a file of version 1 to 4, or of a later one with the same layout. Throws the fault.
    package init(_ bytes: [UInt8]) throws(ZoneFileFault) {
        var block = try Block(bytes, at: 0, timeSize: 4)
        let isVersion1 = block.version == 0
        // From version 2 on, a second block also has the transitions that need 64 bits
        // (RFC 9636, 3).
        if !isVersion1 { block = try Block(bytes, at: block.end, timeSize: 8) }
        // In POSIX, seconds since 1970 do not count leap seconds; in such a file they do.
        guard block.leapSecondCount == 0 else { throw ZoneFileFault("counts leap seconds") }

        transitions = stride(from: block.times, to: block.types, by: block.timeSize).map {
            bytes.integer(at: $0, size: block.timeSize)
        }
        guard zip(transitions, transitions.dropFirst()).allSatisfy(<) else {
            throw ZoneFileFault("has transitions out of order")
        }
        // Type 0 applies before the first transition (RFC 9636, 3.2).
        let types = [0] + bytes[block.types..<block.table]
        guard types.allSatisfy({ $0 < block.typeCount }) else {
            throw ZoneFileFault("has a transition to a missing type of local time")
        }
        offsets = types.map {
            Int32(truncatingIfNeeded: bytes.integer(at: block.table + Int($0) * 6, size: 4))
        }
        // The range that RFC 9636, 3.2, recommends.
        guard offsets.allSatisfy({ (-89_999...93_599).contains($0) }) else {
            throw ZoneFileFault("has an offset out of range")
        }
        rule = isVersion1 ? nil : try Self.rule(bytes[block.end...])
    }

    /// Reads the footer, a TZ string between two newlines (RFC 9636, 3.3). Ignores what follows.
    private static func rule(_ bytes: ArraySlice<UInt8>) throws(ZoneFileFault) -> ZoneRule? {
        let newline = UInt8(ascii: "\n")
        guard bytes.first == newline, let end = bytes.dropFirst().firstIndex(of: newline) else {
            throw ZoneFileFault("has no footer between newlines")
        }
        let text = bytes[..<end].dropFirst()
        if text.isEmpty { return nil }
        guard let rule = ZoneRule(text) else {
            throw ZoneFileFault("has a footer that is no complete TZ string")
        }
        return rule
    }

    /// Returns the seconds east of UTC, −89,999…93,599. Any instant is allowed. Allocates nothing.
    package func offset(at instant: Int64) -> Int64 {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        // The rule applies after the last transition, or always if there is none (RFC 9636, 3.3).
        if low == transitions.count, instant != transitions.last, let rule {
            return rule.offset(at: instant)
        }
        return Int64(offsets[low])
    }

    /// A header and the data block after it, all of whose bytes exist (RFC 9636, 3.1 and 3.2).
    private struct Block {
        /// 0 for version 1, otherwise an ASCII digit.
        let version: UInt8
        let leapSecondCount: Int
        let typeCount: Int
        /// The bytes of an instant.
        let timeSize: Int
        /// The indices of the transitions, of the types after them, and of the table of types.
        let times, types, table: Int
        /// The index after the block.
        let end: Int

        init(_ bytes: [UInt8], at start: Int, timeSize: Int) throws(ZoneFileFault) {
            guard bytes[start...].starts(with: "TZif".utf8) else {
                throw ZoneFileFault("is no TZif file")
            }
            times = start + 44
            guard times <= bytes.count else { throw ZoneFileFault("ends within a header") }
            version = bytes[start + 4]
            guard version == 0 || version >= UInt8(ascii: "2") else {
                throw ZoneFileFault("has an unknown version")
            }
            let counts = (0..<6).map {
                Int(UInt32(truncatingIfNeeded: bytes.integer(at: start + 20 + 4 * $0, size: 4)))
            }
            (leapSecondCount, typeCount, self.timeSize) = (counts[2], counts[4], timeSize)
            // 32-bit counts times small sizes cannot overflow 64 bits.
            types = times + counts[3] * timeSize
            table = types + counts[3]
            // A type has an offset of four bytes, a flag, and the index of its designation.
            end =
                table + typeCount * 6 + counts[5] + leapSecondCount * (timeSize + 4) + counts[1]
                + counts[0]
            guard end <= bytes.count else { throw ZoneFileFault("ends within its data") }
            guard typeCount > 0 else { throw ZoneFileFault("has no type of local time") }
        }
    }
}

/// A fault of a TZif file.
package struct ZoneFileFault: Error, Hashable, Sendable {
    /// A text that follows the name of the file: lower case, no full stop.
    package let message: String

    init(_ message: String) { self.message = message }
}

extension [UInt8] {
    /// Returns the signed integer at an index; its most significant byte comes first.
    fileprivate func integer(at index: Int, size: Int) -> Int64 {
        let sign = Int64(Int8(bitPattern: self[index]) >> 7)
        return self[index..<index + size].reduce(sign) { $0 << 8 | Int64($1) }
    }
}
