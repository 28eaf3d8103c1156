// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Scheduling

@Suite("The timing wheel against a plain list")
struct TimingWheelModelTests {
    private typealias Entry = TimingWheel.Entry

    @Test(
        "never early, nothing lost, in order, and never to be looked at too late",
        arguments: 0..<12 as Range<UInt64>)
    func agreesWithAList(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // The start of time, somewhere, just before a carry into each digit, and near the end.
        let starts: [UInt64] = [
            0, random.next() >> 20, (1 << 26) - 1, (1 << 44) - 7, (1 << 56) - (1 << 20),
            (1 << 56) - 1, 1 << 56, (5 << 56) - 12_345, UInt64.max - (1 << 50),
        ]
        var now = starts[Int(seed) % starts.count]
        var wheel = TimingWheel(now: now)
        var list: [UInt32: Entry] = [:]
        var popped = 0

        func fault(_ step: Int, _ text: String) {
            Issue.record("seed \(seed), step \(step), now \(now): \(text)")
        }

        for step in 0..<20_000 {
            let key = UInt32.random(in: 0..<48, using: &random)
            switch UInt8.random(in: 0..<10, using: &random) {
            case 0...3:
                let far = random.magnitude(upTo: .max)
                let (later, overflow) = now.addingReportingOverflow(far)
                let past = Bool.random(using: &random) && far <= now
                let deadline = step % 8 == 0 && past ? now - far : overflow ? .max : later
                let entry = Entry(key: key, value: random.next() % 4, deadline: deadline)
                wheel.arm(entry)
                list[key] = entry
            case 4:
                if wheel.disarm(key) != (list.removeValue(forKey: key) != nil) {
                    return fault(step, "disarming \(key)")
                }
            case 5:
                let value = random.next() % 4
                let there = list[key]?.value == value
                if there { list[key] = nil }
                if wheel.disarm(key, value: value) != there {
                    return fault(step, "disarming \(key) with \(value)")
                }
            case 6...7:
                let far = random.magnitude(upTo: 1 << UInt64.random(in: 0...52, using: &random))
                now = now.addingReportingOverflow(far).overflow ? now : now + far
            case 8:
                if let next = wheel.next { now = max(now, next) }
            default: break
            }
            // Sometimes some of what is due stays in for a while.
            var takes = Bool.random(using: &random) ? Int.max : 1
            while takes > 0 {
                takes -= 1
                let earliest = list.values.map(\.deadline).min()
                guard let entry = wheel.popDue(now: now) else {
                    if let earliest, earliest <= now { return fault(step, "lost \(earliest)") }
                    break
                }
                if entry.deadline > now { return fault(step, "early: \(entry)") }
                if entry.deadline != earliest { return fault(step, "out of order: \(entry)") }
                if list.removeValue(forKey: entry.key) != entry {
                    return fault(step, "was not armed: \(entry)")
                }
                popped += 1
            }
            if wheel.count != list.count {
                return fault(step, "has \(wheel.count) instead of \(list.count)")
            }
            let earliest = list.values.map(\.deadline).min()
            switch (wheel.next, earliest) {
            case (nil, nil): break
            case (let next?, let earliest?):
                if next > earliest { return fault(step, "\(next) is later than \(earliest)") }
                if earliest > now, next <= now {
                    return fault(step, "would look again at \(next), for \(earliest)")
                }
            default: return fault(step, "next is \(String(describing: wheel.next))")
            }
        }
        #expect(popped > 1_000)
        // In the end everything comes out, in order.
        var last: UInt64 = 0
        while let entry = wheel.popDue(now: .max) {
            #expect(entry.deadline >= last)
            #expect(list.removeValue(forKey: entry.key) == entry)
            last = entry.deadline
        }
        #expect(list.isEmpty)
    }
}
