// SPDX-License-Identifier: Apache-2.0

/// The counts so far.
struct SampleCount {
    private(set) var lines = 0
    private(set) var bytes: Int64 = 0
    /// How many bytes the line has that has not ended yet.
    private var open = 0

    /// Returns the length of the line that ends with this byte.
    mutating func add(_ byte: UInt8) -> Int? {
        bytes += 1
        guard byte == UInt8(ascii: "\n") else {
            open += 1
            return nil
        }
        lines += 1
        defer { open = 0 }
        return open
    }
}
