// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("The list of quarantined plugins")
struct QuarantineListTests {
    private func content(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    private func plugin(
        _ number: Int, _ id: String = "org.example.tidy", byHand: Bool = false,
        _ reason: String = "its process ended"
    ) -> QuarantinedPlugin {
        QuarantinedPlugin(
            content: content(number), plugin: id, reason: reason, at: Int64(number),
            isByHand: byHand)
    }

    private func add(_ plugin: QuarantinedPlugin, to list: inout QuarantineList) {
        let isAdded = list.add(plugin)
        #expect(isAdded)
    }

    @Test("it comes back as it was written, whatever its texts have in them")
    func roundTrip() {
        var list = QuarantineList()
        add(plugin(1), to: &list)
        add(plugin(2, "", byHand: true, "a\tb\nc\u{7}"), to: &list)
        add(plugin(3, "a\tb\nhost", String(repeating: "ä", count: 1_000)), to: &list)
        #expect(QuarantineList(bytes: list.bytes)?.plugins.count == 3)
        #expect(QuarantineList(bytes: list.bytes)?[content(2)]?.reason == "a b c ")
        #expect(QuarantineList(bytes: []) == QuarantineList())
    }

    @Test("what is no list is none")
    func malformed() {
        var list = QuarantineList()
        _ = list.add(plugin(1))
        let good = String(decoding: list.bytes, as: UTF8.self)
        #expect(QuarantineList(bytes: Array(good.utf8)) != nil)
        for bad in [
            "x", good + "\n" + good, good.replacing("host", with: "nobody"),
            good.replacing("\t1\t", with: "\tone\t"), String(good.dropFirst()), good + "\tmore",
        ] {
            #expect(QuarantineList(bytes: Array(bad.utf8)) == nil, "\(bad)")
        }
        #expect(QuarantineList(bytes: Array(good.utf8) + [0xff]) == nil)
    }

    @Test("three failed loads within ten minutes are too many, and a success between forgets them")
    func failedLoads() {
        let minute: Int64 = 60_000_000_000
        var list = QuarantineList()
        func fail(_ number: Int, at time: Int64) -> Bool {
            let isTooMany = list.failedToLoad(content(number), at: time)
            // As it is written.
            #expect(QuarantineList(bytes: list.bytes) == list)
            return isTooMany
        }
        #expect(!fail(1, at: 0) && !fail(2, at: 1) && !fail(1, at: 5 * minute))
        #expect(!fail(1, at: 10 * minute + 1))
        #expect(fail(1, at: 11 * minute))
        list.loaded(content(1))
        #expect(!fail(1, at: 12 * minute) && !fail(1, at: 13 * minute))
        // The clock was set back.
        #expect(!fail(1, at: 1 * minute) && !fail(1, at: 2 * minute) && fail(1, at: 3 * minute))
        _ = list.add(plugin(1))
        _ = list.release("org.example.tidy")
        #expect(list == QuarantineList())
        for number in 0..<400 { _ = list.failedToLoad(content(number), at: 1) }
        #expect(list.failedLoads.count == QuarantineList.limit)
        #expect(QuarantineList(bytes: list.bytes) == list)
    }

    @Test("a content is there once, and a release takes all builds of a plugin")
    func releases() {
        var list = QuarantineList()
        for number in [1, 2, 1] { add(plugin(number), to: &list) }
        add(plugin(3, "org.example.other"), to: &list)
        #expect(list.plugins.map(\.content) == [2, 1, 3].map(content))
        let builds = list.release("org.example.tidy")
        #expect(builds.count == 2)
        let other = list.release(content(3))
        #expect(other.map(\.plugin) == ["org.example.other"])
        let none = list.release(content(3))
        #expect(none.isEmpty)
        #expect(list == QuarantineList())
    }

    @Test("a full list forgets what hosts have added, and never what people have")
    func full() {
        var list = QuarantineList()
        add(plugin(0, byHand: true), to: &list)
        for number in 1..<QuarantineList.limit { add(plugin(number), to: &list) }
        add(plugin(1_000), to: &list)
        #expect(list[content(0)] != nil && list[content(1)] == nil && list[content(2)] != nil)
        for number in 2_000..<2_000 + QuarantineList.limit - 1 {
            add(plugin(number, byHand: true), to: &list)
        }
        let isAdded = list.add(plugin(3_000))
        #expect(!isAdded)
        #expect(list.plugins.count == QuarantineList.limit)
        #expect(QuarantineList(bytes: list.bytes) == list)
    }
}
