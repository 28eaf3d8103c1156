// SPDX-License-Identifier: Apache-2.0

/// Returns the same numbers for the same seed, on every machine: SplitMix64 (Steele, Lea and Flood,
/// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A seed for another one: short enough to be typed, and whole in every reader of JSON.
    mutating func seed() -> UInt64 { next() >> 32 }

    /// A number below a limit, the same on every platform.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }
}
