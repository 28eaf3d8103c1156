// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Persistence

@Suite("When a store on a server has news")
struct TurnWatchTests {
    @Test("no reader that looks at each news misses a turn, whenever its transaction ends")
    func nothingMissed() {
        // A reader asks at any of ten times, and then looks; what is under way is asked for each time, never, or each
        // other time.
        for drawn in 0..<6 {
            for committed in drawn..<8 {
                for asking in 0..<4 { check(drawn, committed, asking) }
            }
        }
    }

    private func check(_ drawn: Int, _ committed: Int, _ asking: Int) {
        var watch = TurnWatch()
        watch.observe(turns: 0, areUnderWay: false)
        var (version, hasSeen) = (watch.version, false)
        for time in 0..<10 {
            let isUnderWay = drawn <= time && time < committed
            let isAsked = asking == 3 ? true : asking == 2 ? false : time % 2 == asking
            watch.observe(turns: time >= drawn ? 1 : 0, areUnderWay: isAsked ? isUnderWay : nil)
            guard watch.version != version else { continue }
            version = watch.version
            hasSeen = hasSeen || time >= committed
        }
        #expect(hasSeen, "drawn at \(drawn), committed at \(committed)")
        #expect(watch.isSettled || asking == 2)
    }

    @Test("a number that stays is no news once it was asked what is under way")
    func quiet() {
        var watch = TurnWatch()
        watch.observe(turns: 5, areUnderWay: nil)
        #expect(!watch.isSettled)
        watch.observe(turns: 5, areUnderWay: false)
        let version = watch.version
        #expect(watch.isSettled)
        for _ in 0..<3 { watch.observe(turns: 5, areUnderWay: nil) }
        #expect(watch.version == version && watch.isSettled)
        watch.observe(turns: 6, areUnderWay: nil)
        #expect(watch.version != version && !watch.isSettled)
    }
}
