// SPDX-License-Identifier: Apache-2.0

/// Little-endian numbers in bytes that the caller keeps in memory.
///
/// Every place is checked: one outside is a fault of ours and stops the process.
struct ELFWords {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    func byte(at offset: Int) -> UInt8 { number(at: offset) }
    func half(at offset: Int) -> UInt16 { number(at: offset) }
    func word(at offset: Int) -> UInt32 { number(at: offset) }
    func long(at offset: Int) -> UInt64 { number(at: offset) }

    /// The bytes as an array of numbers, for long tables: without an optimizer a look at one number of
    /// it costs a fiftieth of the above. Nil where they are not aligned for that, as tables of a linker's
    /// are. All processors of `ELFSharedObject` have the byte order of the file.
    func table<Number: FixedWidthInteger>(of: Number.Type) -> UnsafeBufferPointer<Number>? {
        guard let start = bytes.baseAddress,
            Int(bitPattern: start).isMultiple(of: MemoryLayout<Number>.alignment)
        else { return bytes.isEmpty ? UnsafeBufferPointer(start: nil, count: 0) : nil }
        return UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: Number.self),
            count: bytes.count / MemoryLayout<Number>.stride)
    }

    /// Returns the bytes up to the next NUL, or nil where none follows.
    func text(at offset: Int) -> UnsafeRawBufferPointer.SubSequence? {
        precondition(offset >= 0 && offset <= bytes.count)
        let rest = bytes[offset...]
        return rest.firstIndex(of: 0).map { rest[..<$0] }
    }

    @inline(__always)
    private func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
        precondition(offset >= 0 && offset <= bytes.count - MemoryLayout<Number>.size)
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
