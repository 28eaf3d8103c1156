// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A copy of bytes of a size that others choose (a payload, a result); may fail without memory.
struct LargeCopy {
    /// From malloc(3); nil for no bytes.
    private(set) var bytes: UnsafeMutableRawPointer?
    let count: Int

    init(_ source: UnsafeRawBufferPointer) {
        count = source.count
        guard let start = source.baseAddress, count > 0 else { return }
        bytes = malloc(count)
        bytes?.copyMemory(from: start, byteCount: count)
    }

    var isComplete: Bool { count == 0 || bytes != nil }

    /// Moves the bytes out; the caller frees them.
    mutating func take() -> UnsafeMutableRawBufferPointer {
        defer { bytes = nil }
        return UnsafeMutableRawBufferPointer(start: bytes, count: count)
    }

    mutating func free() {
        Glibc.free(bytes)
        bytes = nil
    }
}
