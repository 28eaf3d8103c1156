// SPDX-License-Identifier: Apache-2.0

/// Divides a range of bytes into chunks, each a power of two. Constant time; freed chunks are reused for
/// the same size.
package struct ChunkAllocator: Sendable {
    private let end: UInt64
    private var next: UInt64
    /// Free chunks by the logarithm of their size.
    private var free = [[UInt64]](repeating: [], count: 64)

    /// The size of the smallest chunk, as a logarithm.
    private static let least = 6

    /// The range ends below 2^62.
    package init(from start: UInt64, bytes: UInt64) {
        next = start
        end = start + bytes
    }

    /// Returns the offset of a chunk of at least that many bytes, or nil when there is no room.
    package mutating func allocate(_ bytes: UInt64) -> UInt64? {
        guard bytes <= end else { return nil }
        let level = Self.level(bytes)
        if let chunk = free[level].popLast() { return chunk }
        guard end - next >= 1 << UInt64(level) else { return nil }
        defer { next += 1 << UInt64(level) }
        return next
    }

    /// Frees a chunk that was allocated for that many bytes.
    package mutating func release(_ offset: UInt64, _ bytes: UInt64) {
        free[Self.level(bytes)].append(offset)
    }

    private static func level(_ bytes: UInt64) -> Int {
        max(least, bytes <= 1 ? 0 : UInt64.bitWidth - (bytes - 1).leadingZeroBitCount)
    }
}
