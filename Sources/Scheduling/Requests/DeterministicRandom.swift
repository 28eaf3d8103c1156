// SPDX-License-Identifier: Apache-2.0

/// A deterministic pseudo-random number generator, so that dates that are spread by it are
/// predictable, and a history can be replayed.
enum DeterministicRandom {
    /// Returns a number from 0 up to and excluding 1 for a pair of numbers, by the mixing function
    /// of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
    /// 2014).
    static func of(_ a: UInt64, _ b: UInt64) -> Double {
        Double(mix(mix(a &+ 0x9E37_79B9_7F4A_7C15) ^ b) >> 11) / 9_007_199_254_740_992
    }

    /// Returns 64 bits for a pair of numbers, by the same function.
    static func bits(_ a: UInt64, _ b: UInt64) -> UInt64 {
        mix(mix(a &+ 0x9E37_79B9_7F4A_7C15) ^ b &+ 0x9E37_79B9_7F4A_7C15)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
