// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("Chance that can be had again")
struct SeededGeneratorTests {
    @Test("the numbers of SplitMix64")
    func known() {
        var chance = SeededGenerator(seed: 1_234_567)
        #expect(
            (0..<5).map { _ in chance.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test("numbers below a limit, the same again for the same seed")
    func below() {
        var first = SeededGenerator(seed: 5)
        var second = SeededGenerator(seed: 5)
        var other = SeededGenerator(seed: 6)
        let numbers = (0..<200).map { _ in first.below(10) }
        #expect(Set(numbers) == Set(0..<10))
        #expect((0..<200).map { _ in second.below(10) } == numbers)
        #expect((0..<200).map { _ in other.below(10) } != numbers)
        #expect(first.below(1) == 0 && first.below(0) == 0)
    }

    @Test("seeds for others can be typed, and are whole in every reader of JSON")
    func seeds() {
        var chance = SeededGenerator(seed: 99)
        let seeds = (0..<1_000).map { _ in chance.seed() }
        #expect(seeds.allSatisfy { $0 <= UInt64(UInt32.max) })
        #expect(Set(seeds).count > 990)
    }
}
