// SPDX-License-Identifier: Apache-2.0

/// A sound shared object of 64 bits in memory, of which tests change single fields.
package struct LibraryBytes: Sendable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package func long(at place: Int) -> UInt64 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
    }

    package func word(at place: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
    }

    package mutating func setLong(_ value: UInt64, at place: Int) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: value, toByteOffset: place, as: UInt64.self)
        }
    }

    package mutating func setWord(_ value: UInt32, at place: Int) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: value, toByteOffset: place, as: UInt32.self)
        }
    }

    /// Where the program headers of a type are in the file.
    package func headers(ofType type: UInt32) -> [Int] {
        let start = Int(long(at: 32))
        let count = Int(word(at: 56) & 0xFFFF)
        return (0..<count).map { start + $0 * 56 }.filter { word(at: $0) == type }
    }

    /// Where the dynamic entries are in the file, up to the last one.
    package var dynamicEntries: [Int] {
        guard let header = headers(ofType: 2).first else { return [] }
        var places: [Int] = []
        var place = Int(long(at: header + 8))
        while long(at: place) != 0 {
            places.append(place)
            place += 16
        }
        return places
    }

    /// Where the dynamic entry with a tag is in the file.
    package func entry(_ tag: UInt64) -> Int? {
        dynamicEntries.last { long(at: $0) == tag }
    }

    /// Where something is in the file that a dynamic entry has the address of.
    package func place(of tag: UInt64) -> Int? {
        entry(tag).flatMap { place(ofAddress: long(at: $0 + 8)) }
    }

    package func place(ofAddress address: UInt64) -> Int? {
        for header in headers(ofType: 1) {
            let (offset, start) = (long(at: header + 8), long(at: header + 16))
            if address >= start, address - start < long(at: header + 32) {
                return Int(offset + (address - start))
            }
        }
        return nil
    }
}
