// SPDX-License-Identifier: Apache-2.0

/// Damages a library's file as disks and copies do: wrong bits, a missing end, fields with other
/// numbers, a piece that stands where another belongs.
package struct LibraryMutation: Sendable {
    private let sound: LibraryBytes
    /// The bytes that the loader reads, in which three of four changes are made.
    private let read: [Range<Int>]

    package init(_ library: [UInt8]) {
        let sound = LibraryBytes(library)
        self.sound = sound
        // Tables: hashes, names, symbols, relocations, versions, and the lists of constructors.
        let tables: [UInt64] = [
            4, 5, 6, 7, 23, 25, 26, 0x6FFF_FEF5, 0x6FFF_FFF0, 0x6FFF_FFFC, 0x6FFF_FFFE,
        ]
        let entries = sound.dynamicEntries
        read =
            [0..<min(1_024, library.count), entries[0]..<entries[entries.count - 1] + 16]
            + tables.compactMap { sound.place(of: $0) }.map {
                $0..<min($0 + 1_536, library.count)
            }
    }

    /// One that is the same for the same seed, and what was changed.
    package func mutant(_ seed: UInt64) -> (bytes: [UInt8], change: String) {
        var generator = SeededGenerator(seed: seed)
        var library = sound
        let count = library.bytes.count
        func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        func place() -> Int {
            guard number(below: 4) > 0 else { return number(below: count) }
            let range = read[number(below: read.count)]
            return range.lowerBound + number(below: range.count)
        }
        switch number(below: 6) {
        case 0, 1:
            var change = "bits"
            for _ in 0...(number(below: 2) * number(below: 4)) {
                let (place, bit) = (place(), number(below: 8))
                library.bytes[place] ^= 1 << UInt8(bit)
                change += " \(place).\(bit)"
            }
            return (library.bytes, change)
        case 2:
            let isLong = number(below: 2) == 0
            let rest = isLong ? count / 2 + number(below: count / 2) : 1 + number(below: count - 1)
            return (Array(library.bytes.prefix(rest)), "cut to \(rest)")
        case 3:
            let (from, to) = (place(), place())
            let length = min(1 + number(below: 256), count - max(from, to))
            let piece = Array(library.bytes[from..<from + length])
            library.bytes.replaceSubrange(to..<to + length, with: piece)
            return (library.bytes, "\(length) bytes at \(to) from \(from)")
        default:
            let place = min(place() & ~7, count - 8)
            let old = library.long(at: place)
            let new: UInt64 =
                switch number(below: 7) {
                case 0: old &+ 1 << UInt64(number(below: 64))
                case 1: generator.magnitude(upTo: .max)
                case 2: old &* 2
                case 3: 0
                case 4: .max - UInt64(number(below: 16))
                case 5: old &+ UInt64(number(below: 4_096))
                default: UInt64(number(below: count))
                }
            library.setLong(new, at: place)
            return (library.bytes, "at \(place) \(new) in place of \(old)")
        }
    }
}
