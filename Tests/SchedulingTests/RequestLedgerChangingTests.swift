// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Retrying, launching and editing requests")
struct RequestLedgerChangingTests {
    private let desk = RequestDesk()
    private let hour = 3_600 * second

    private func processing(
        earliest: Int64? = nil, latest: Int64? = nil, repetition: Repetition? = nil
    ) -> RequestDescription {
        RequestDescription(
            "org.example.a", kind: .processing, earliest: earliest, latest: latest,
            onPending: .add, repetition: repetition)
    }

    private func changed(_ change: RequestLedger.Change) throws -> Request {
        guard case .changed(let request) = change else {
            Issue.record("\(change)")
            throw StoreFault(.unknown, "not changed")
        }
        return request
    }

    @Test("a failed request is retried as itself: due now, with all attempts and its history")
    func retry() throws {
        var description = processing()
        description.retry = RetryPolicy(attempts: 2)
        let id = try desk.add(description, payload: [1])
        for _ in 1...2 {
            try desk.run(id, AttemptEnd(.failed))
            desk.now += hour
        }
        #expect(try desk.state(id) == .finished)
        let request = try changed(desk.retry(id))
        #expect(request.id == id && request.state == .pending && request.reason == .byHand)
        #expect(request.notBefore == desk.now && request.attempts == 0)
        let attempt = try desk.run(id, AttemptEnd(.failed))
        #expect(attempt.number == 1 && attempt.launch == 3)
        #expect(try desk.state(id) == .pending)
        #expect(try desk.attempts(id).count == 3)
        #expect(try desk.story(id).contains(.retried))
    }

    @Test("a missed request is retried without the latest date that it missed")
    func retryMissed() throws {
        let id = try desk.add(processing(latest: desk.now + second))
        desk.now += hour
        _ = try desk.missOverdue()
        #expect(try desk.state(id) == .missed)
        let request = try changed(desk.retry(id))
        #expect(request.description.latest == nil)
        #expect(try desk.missOverdue() == nil)
        try desk.run(id)
        #expect(try desk.state(id) == .finished)
    }

    @Test("only what is over is retried, and no more than may be pending")
    func retryRefused() throws {
        let id = try desk.add(processing())
        #expect(try desk.retry(id) == .wrongState(try desk.request(id)))
        #expect(try desk.retry(RequestID(rawValue: 9)) == .unknown)
        try desk.run(id)
        desk.ledger.limits.pending[.processing] = 1
        _ = try desk.add(processing())
        #expect(try desk.retry(id) == .refused(.tooMany(.kind(.processing), limit: 1)))
        #expect(try desk.state(id) == .finished)
    }

    @Test("a cancelled request that is retried is not cancelled again with its next task")
    func retryCancelled() throws {
        let id = try desk.add(processing())
        try desk.launch(id)
        _ = try desk.cancel(id)
        try desk.end(id, AttemptEnd(.cancelled))
        _ = try changed(desk.retry(id))
        try desk.run(id)
        #expect(try desk.state(id) == .finished)
    }

    @Test("a launch before the date of a repetition is an additional one, and that date stays")
    func launchNow() throws {
        let rules: [Repetition.Rule] = [
            .every(UInt64(24 * hour)), .cron(try CronSchedule("0 3 * * *"), isLocal: false),
        ]
        for rule in rules {
            for catchUp in Repetition.CatchUp.allCases {
                let id = try desk.add(
                    processing(
                        earliest: rule == rules[0] ? desk.now + 5 * hour : nil,
                        repetition: Repetition(rule, catchUp: catchUp)))
                let date = try desk.request(id).notBefore
                #expect(try changed(desk.launchNow(id)).notBefore == desk.now)
                desk.now += second
                try desk.run(id)
                #expect(try desk.request(id).notBefore == date, "\(rule), \(catchUp)")
                _ = try desk.cancel(id)
            }
        }
    }

    @Test("a request that waits for its date or a pause is launched now, and no other one")
    func launchNowPending() throws {
        var description = processing(earliest: desk.now + hour)
        description.retry = RetryPolicy(attempts: 3)
        let id = try desk.add(description)
        #expect(try changed(desk.launchNow(id)).reason == .byHand)
        try desk.run(id, AttemptEnd(.failed))
        #expect(try desk.launch(id) == nil)
        _ = try changed(desk.launchNow(id))
        #expect(try desk.launch(id)?.number == 2)
        #expect(try desk.launchNow(id) == .wrongState(try desk.request(id)))
        #expect(try desk.launchNow(RequestID(rawValue: 9)) == .unknown)
    }

    @Test("an edited request has its new description, and its date only if that was changed")
    func edit() throws {
        let id = try desk.add(processing(earliest: desk.now + hour))
        desk.now += second
        try desk.edit(id) {
            $0.priority = .high
            $0.needs = .network
            $0.identifier = "org.example.b"
        }
        var request = try desk.request(id)
        #expect(request.description.priority == .high && request.description.needs == .network)
        #expect(request.description.identifier == "org.example.a")
        #expect(request.notBefore == desk.now - second + hour)
        try desk.edit(id) { $0.earliest = nil }
        request = try desk.request(id)
        #expect(request.notBefore == desk.now)
        #expect(try desk.entries(id).map(\.detail) == ["", "needs, priority", "earliest"])
    }

    @Test("an edit that makes no sense, or takes the key of another, changes nothing")
    func editRefused() throws {
        var keyed = processing()
        keyed.key = "k"
        let other = try desk.add(keyed)
        let id = try desk.add(processing())
        #expect(try desk.edit(id) { $0.key = "k" } == .refused(.keyTaken(other)))
        #expect(
            try desk.edit(id) { $0.latest = -1 }
                == .refused(
                    .invalid("the latest beginning is not in the years 1970 to 2200 of UTC")))
        #expect(try desk.request(id).description == processing())
        try desk.edit(other) { $0.key = nil }
        _ = try changed(desk.edit(id) { $0.key = "k" })
        #expect(try desk.submit(keyed) == .success(.duplicateKey(id)))
        try desk.launch(id)
        #expect(try desk.edit(id) { $0.key = nil } == .wrongState(try desk.request(id)))
    }
}
