// SPDX-License-Identifier: Apache-2.0

/// Random numbers that come out the same in every run (xorshift64*), so that a failure names its
/// seed and can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// One seed, one sequence.
    package init(seed: UInt64) {
        // Neighbouring seeds must not begin alike, and zero would stay zero.
        state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<8 { _ = next() }
    }

    package mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    /// A number of a random magnitude: as often below 2 as above half of `limit`.
    package mutating func magnitude(upTo limit: UInt64) -> UInt64 {
        let bits = UInt64(64 - limit.leadingZeroBitCount)
        let width = UInt64.random(in: 0...bits, using: &self)
        let mask = width == 64 ? UInt64.max : (1 << width) - 1
        return min(next() & mask, limit)
    }
}
