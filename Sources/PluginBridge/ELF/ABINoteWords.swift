// SPDX-License-Identifier: Apache-2.0

/// Little-endian numbers in a piece of a file, wherever they stand.
///
/// The places are computed from sizes that were checked before; one outside is a fault of ours and
/// stops the process.
package struct ABINoteWords {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var count: Int { bytes.count }

    package func byte(at offset: Int) -> UInt8 { bytes[offset] }
    package func half(at offset: Int) -> UInt16 { number(at: offset) }
    package func word(at offset: Int) -> UInt32 { number(at: offset) }
    package func long(at offset: Int) -> UInt64 { number(at: offset) }

    /// The caller has checked that as many bytes are there.
    func hasBytes(_ expected: [UInt8], at offset: Int) -> Bool {
        bytes[offset..<(offset + expected.count)].elementsEqual(expected)
    }

    @inline(__always)
    private func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
        precondition(offset >= 0 && offset <= bytes.count - MemoryLayout<Number>.size)
        return Number(
            littleEndian: bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: offset, as: Number.self)
            })
    }
}
