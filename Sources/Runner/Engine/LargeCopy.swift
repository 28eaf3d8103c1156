// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A copy of bytes whose number somebody else decides: a payload, a result. There may be no memory
/// for them, which is no reason to end the process.
struct LargeCopy {
    /// From malloc(3); nil for none.
    private(set) var bytes: UnsafeMutableRawPointer?
    let count: Int

    init(_ source: UnsafeRawBufferPointer) {
        count = source.count
        guard let start = source.baseAddress, count > 0 else { return }
        bytes = malloc(count)
        bytes?.copyMemory(from: start, byteCount: count)
    }

    /// False when there was no memory.
    var isComplete: Bool { count == 0 || bytes != nil }

    /// Hands the bytes over; they are the caller's to free.
    mutating func take() -> UnsafeMutableRawBufferPointer {
        defer { bytes = nil }
        return UnsafeMutableRawBufferPointer(start: bytes, count: count)
    }

    /// Frees what was not taken.
    mutating func free() {
        Glibc.free(bytes)
        bytes = nil
    }
}
