// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("How the launches of a request end")
struct RequestLedgerEndingTests {
    private let desk = RequestDesk()

    private func description(
        attempts: UInt32 = 1, jitter: Double = 0, latest: Int64? = nil
    ) -> RequestDescription {
        RequestDescription(
            "org.example.a", latest: latest,
            retry: attempts == 1
                ? .none
                : RetryPolicy(
                    attempts: attempts, base: UInt64(10 * second), longest: UInt64(30 * second),
                    jitter: jitter))
    }

    @Test("a request is launched once, with its payload, and finished")
    func success() throws {
        let id = try desk.add(description(), payload: [4, 2])
        let attempt = try #require(try desk.launch(id))
        #expect((attempt.launch, attempt.number) == (1, 1))
        #expect(attempt.host == desk.host)
        #expect(try desk.launch(id) == nil)
        desk.now += second
        let request = try #require(try desk.end(id, AttemptEnd(.succeeded)))
        #expect(request.state == .finished)
        #expect(request.outcome == .succeeded)
        #expect(request.changedAt == desk.now)
        let done = try #require(try desk.attempts(id).first)
        #expect((done.endedAt, done.outcome, done.error) == (desk.now, .succeeded, ""))
        #expect(try desk.story(id) == [.submitted, .launched, .ended, .finished])
    }

    @Test(
        "what failed is tried again after pauses that double, and then is over",
        arguments: [Outcome.failed, .expired, .abandoned])
    func retrying(_ outcome: Outcome) throws {
        let id = try desk.add(description(attempts: 4))
        for (number, pause) in [10, 20, 30].enumerated() {
            let attempt = try desk.run(id, AttemptEnd(outcome, reason: .budget, error: "no"))
            #expect((Int(attempt.launch), Int(attempt.number)) == (number + 1, number + 1))
            let request = try desk.request(id)
            #expect(request.state == .pending)
            #expect(request.reason == .backOff)
            #expect(request.notBefore == desk.now + Int64(pause) * second)
            desk.now = request.notBefore
        }
        try desk.run(id, AttemptEnd(outcome))
        #expect(try desk.state(id) == .finished)
        #expect(try desk.request(id).outcome == outcome)
        #expect(try desk.attempts(id).map(\.error) == ["no", "no", "no", ""])
        #expect(try desk.story(id).count { $0 == .backedOff } == 3)
    }

    @Test("the jitter of a pause makes it longer, the same each time")
    func jitter() throws {
        func pause() throws -> Int64 {
            let desk = RequestDesk()
            let id = try desk.add(description(attempts: 2, jitter: 0.5))
            try desk.run(id, AttemptEnd(.failed))
            return try desk.request(id).notBefore - desk.now
        }
        let first = try pause()
        #expect((10 * second..<15 * second).contains(first))
        #expect(try pause() == first)
    }

    @Test("a snooze uses no attempt, and can be as long as one likes")
    func snoozing() throws {
        let id = try desk.add(description(attempts: 2))
        for _ in 0..<5 {
            let attempt = try desk.run(id, AttemptEnd(.failed, snooze: UInt64(7 * second)))
            #expect(attempt.number == 1)
            #expect(try desk.request(id).reason == .snoozed)
            #expect(try desk.request(id).notBefore == desk.now + 7 * second)
            desk.now += 7 * second
        }
        try desk.run(id, AttemptEnd(.succeeded, snooze: .max))
        #expect(
            try desk.request(id).notBefore == RequestDescription.dateRange.upperBound)
        #expect(try desk.story(id).count { $0 == .snoozed } == 6)
    }

    @Test("an interruption uses no attempt, and the request is due at once")
    func interruption() throws {
        let id = try desk.add(description(attempts: 1))
        for launch in 1...4 as ClosedRange<UInt64> {
            let attempt = try desk.run(id, AttemptEnd(.interrupted, reason: .shutdown, snooze: 99))
            #expect((attempt.launch, attempt.number) == (launch, 1))
            let request = try desk.request(id)
            #expect(request.state == .pending)
            #expect(request.reason == .interrupted)
            #expect(request.notBefore == desk.now)
        }
        try desk.run(id, AttemptEnd(.failed))
        #expect(try desk.state(id) == .finished)
    }

    @Test("a task that was cancelled takes its request along")
    func cancelled() throws {
        let id = try desk.add(description(attempts: 3))
        try desk.run(id, AttemptEnd(.cancelled, reason: .cancelled))
        #expect(try desk.state(id) == .cancelled)
    }

    @Test("the end of an older launch is not taken, and written down")
    func fencing() throws {
        let id = try desk.add(description(attempts: 3))
        try desk.run(id, AttemptEnd(.failed))
        desk.now = try desk.request(id).notBefore
        try desk.launch(id)
        let before = try desk.request(id)
        for launch in [0, 1, 3, .max] as [UInt64] {
            #expect(try desk.end(id, AttemptEnd(.succeeded), launch: launch) == nil)
        }
        #expect(try desk.request(id) == before)
        #expect(try desk.attempts(id).map(\.outcome) == [.failed, nil])
        try desk.end(id, AttemptEnd(.succeeded))
        #expect(try desk.end(id, AttemptEnd(.failed), launch: 2) == nil)
        #expect(try desk.state(id) == .finished)
        let fenced = try desk.entries(id).filter { $0.what == .fenced }
        #expect(fenced.map(\.launch) == [0, 1, 3, .max, 2])
    }

    @Test("after its latest beginning a request is missed, by itself or when it is to be launched")
    func missing() throws {
        let latest = desk.now + 10
        let id = try desk.add(description(latest: latest))
        desk.now = latest
        #expect(try desk.missOverdue() == latest)
        #expect(try desk.state(id) == .pending)
        desk.now += 1
        #expect(try desk.missOverdue() == nil)
        #expect(try desk.state(id) == .missed)
        #expect(try desk.story(id) == [.submitted, .missed])

        let other = try desk.add(description(latest: desk.now))
        desk.now += 1
        #expect(try desk.launch(other) == nil)
        #expect(try desk.state(other) == .missed)

        let inTime = try desk.add(description(latest: desk.now))
        #expect(try desk.launch(inTime) != nil)
    }

    @Test("what was launched in time is not missed while it waits for its next attempt")
    func notMissed() throws {
        let id = try desk.add(description(attempts: 2, latest: desk.now))
        try desk.run(id, AttemptEnd(.failed))
        desk.now += 60 * second
        #expect(try desk.missOverdue() == nil)
        #expect(try desk.run(id).number == 2)
    }

    @Test("those that are overdue are missed a few at a time")
    func missingMany() throws {
        desk.ledger.limits.pending[.processing] = 100
        for number in 0..<5 {
            var description = RequestDescription("org.example.p\(number)", kind: .processing)
            description.latest = desk.now + Int64(number)
            _ = try desk.add(description)
        }
        desk.now += 4
        #expect(try desk.missOverdue(limit: 3) == desk.now)
        #expect(try desk.story().count { $0 == .missed } == 3)
        #expect(try desk.missOverdue(limit: 3) == desk.now)
        #expect(try desk.story().count { $0 == .missed } == 4)
    }
}
