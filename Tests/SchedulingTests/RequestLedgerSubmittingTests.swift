// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Submitting and cancelling requests")
struct RequestLedgerSubmittingTests {
    private let desk = RequestDesk()

    /// With the limits of Apple's modules.
    private let apples: RequestDesk = {
        var limits = RequestLimits()
        limits.pending = [.appRefresh: 1, .processing: 10]
        return RequestDesk(limits: limits)
    }()

    private func refresh(
        _ identifier: String = "org.example.a",
        _ onPending: RequestDescription.OnPending = .replace,
        key: String? = nil
    ) -> RequestDescription {
        RequestDescription(identifier, onPending: onPending, key: key)
    }

    private func processing(
        _ identifier: String, _ onPending: RequestDescription.OnPending = .replace
    ) -> RequestDescription {
        RequestDescription(identifier, kind: .processing, onPending: onPending)
    }

    @Test("a request is pending, at its earliest beginning or at once")
    func simple() throws {
        let now = desk.now
        let id = try desk.add(processing("org.example.a"), payload: [1, 2])
        var later = processing("org.example.b")
        later.earliest = now + 5
        let other = try desk.add(later)
        #expect(try desk.request(id).notBefore == now)
        #expect(try desk.request(id).payloadBytes == 2)
        #expect(try desk.request(other).notBefore == now + 5)
        #expect(try desk.story() == [.submitted, .submitted])
        let arrived = desk.arrived
        #expect(try arrived?.queue == desk.request(other).queue)
        #expect(arrived?.head == RequestHead(id: other, notBefore: now + 5))
    }

    @Test("a newer request takes the place of the pending ones of its identifier")
    func replacing() throws {
        let first = try desk.add(refresh())
        let second = try desk.submit(refresh())
        #expect(second == .success(.queued(RequestID(rawValue: 2), replaced: [first])))
        #expect(try desk.state(first) == .replaced)
        #expect(try desk.story(first) == [.submitted, .replaced])
        #expect(try desk.launch(first) == nil)
    }

    @Test("a pending one can stay, and the newer one is not taken in")
    func keeping() throws {
        let first = try desk.add(processing("org.example.a", .keep))
        #expect(
            try desk.submit(processing("org.example.a", .keep))
                == .success(.duplicatePending(first)))
        // One that runs is not pending.
        try desk.launch(first)
        let second = try desk.submit(processing("org.example.a", .keep))
        #expect(second == .success(.queued(RequestID(rawValue: 2), replaced: [])))
        #expect(try desk.request(first).marks == [])
    }

    @Test("both can stay")
    func adding() throws {
        let ids = try (0..<3).map { _ in try desk.add(processing("org.example.a", .add)) }
        for id in ids { #expect(try desk.state(id) == .pending) }
    }

    @Test("a request adds, unless it says otherwise")
    func defaults() throws {
        #expect(RequestDescription("org.example.a").onPending == .add)
        for number in 1...12 as ClosedRange<UInt64> {
            #expect(try desk.add(RequestDescription("org.example.a")).rawValue == number)
        }
    }

    @Test("the limits of an identifier and of the store refuse, and say so")
    func limits() throws {
        var limits = RequestLimits()
        #expect(limits.pendingPerIdentifier == 10_000 && limits.pendingInAll == 1_000_000)
        (limits.pendingPerIdentifier, limits.pendingInAll) = (3, 5)
        let desk = RequestDesk(limits: limits)
        func submit(_ name: String, _ onPending: RequestDescription.OnPending = .add) throws
            -> Result<Submission, RequestRefusal>
        { try desk.submit(processing("org.example.\(name)", onPending)) }
        for _ in 0..<3 { _ = try submit("a").get() }
        #expect(
            try submit("a") == .failure(.tooMany(.identifier("org.example.a"), limit: 3)))
        for _ in 0..<2 { _ = try submit("b").get() }
        #expect(try submit("b") == .failure(.tooMany(.all, limit: 5)))
        // What it replaces leaves room.
        _ = try submit("a", .replace).get()
        _ = try submit("a").get()
    }

    @Test("one refresh and ten processing requests may be pending, and replaced ones do not count")
    func limitsOfKinds() throws {
        let desk = apples
        let first = try desk.add(refresh())
        #expect(
            try desk.submit(refresh("org.example.b"))
                == .failure(.tooMany(.kind(.appRefresh), limit: 1)))
        #expect(
            try desk.submit(refresh("org.example.a", .add))
                == .failure(.tooMany(.kind(.appRefresh), limit: 1)))
        #expect(try desk.state(first) == .pending)
        _ = try desk.add(refresh())

        for number in 0..<10 { _ = try desk.add(processing("org.example.p\(number)")) }
        #expect(
            try desk.submit(processing("org.example.q"))
                == .failure(.tooMany(.kind(.processing), limit: 10)))
        let replacing = try desk.add(processing("org.example.p0"))
        // What runs leaves room.
        try desk.launch(replacing)
        _ = try desk.add(processing("org.example.q"))
    }

    @Test("one of another kind that it would replace leaves no room for it")
    func otherKind() throws {
        let desk = apples
        for number in 0..<10 { _ = try desk.add(processing("org.example.p\(number)")) }
        let refresh = try desk.add(refresh())
        #expect(
            try desk.submit(processing("org.example.a"))
                == .failure(.tooMany(.kind(.processing), limit: 10)))
        #expect(try desk.state(refresh) == .pending)
    }

    @Test("the same key is the same request, whatever became of it")
    func idempotency() throws {
        var description = refresh(key: "k")
        description.earliest = desk.now + 100
        let id = try desk.add(description, payload: [1])
        desk.now += 10 * second
        description.earliest = desk.now + 100
        #expect(try desk.submit(description, payload: [1]) == .success(.duplicateKey(id)))
        _ = try desk.cancel(id)
        #expect(try desk.submit(description, payload: [1]) == .success(.duplicateKey(id)))
        #expect(try desk.story() == [.submitted, .cancelled])
        // Of another identifier it is another one.
        _ = try desk.add(refresh("org.example.b", key: "k"))
    }

    @Test("a key that is taken by something else is refused")
    func takenKey() throws {
        let id = try desk.add(refresh(key: "k"), payload: [1])
        #expect(try desk.submit(refresh(key: "k"), payload: [2]) == .failure(.keyTaken(id)))
        var other = refresh(key: "k")
        other.priority = .high
        #expect(try desk.submit(other, payload: [1]) == .failure(.keyTaken(id)))
        other = refresh(key: "k")
        other.latest = desk.now + 1
        #expect(try desk.submit(other, payload: [1]) == .failure(.keyTaken(id)))
        #expect(try desk.state(id) == .pending)
    }

    @Test("what is invalid or too large is refused, and what was pending stays")
    func refusals() throws {
        let id = try desk.add(refresh())
        guard case .failure(.invalid) = try desk.submit(refresh("no identifier")) else {
            Issue.record("it was taken in")
            return
        }
        let bytes = desk.ledger.limits.payloadBytes
        #expect(
            try desk.submit(refresh(), payload: Array(repeating: 0, count: bytes + 1))
                == .failure(.tooLarge(bytes: bytes + 1, limit: bytes)))
        #expect(try desk.state(id) == .pending)
        _ = try desk.add(refresh(), payload: Array(repeating: 0, count: bytes))
    }

    @Test("a jitter that is no number is refused")
    func jitter() throws {
        var description = refresh()
        description.retry.jitter = .nan
        #expect(description.fault != nil)
        description.retry = RetryPolicy(attempts: 2, jitter: .nan)
        #expect(description.fault != nil)
    }

    @Test("a request is cancelled in each of its states")
    func cancelling() throws {
        #expect(try desk.cancel(RequestID(rawValue: 9)) == .unknown)
        let id = try desk.add(processing("org.example.a"))
        #expect(try desk.cancel(id) == .cancelled)
        #expect(try desk.cancel(id) == .over(.cancelled))
        #expect(try desk.launch(id) == nil)
        #expect(try desk.story(id) == [.submitted, .cancelled])

        let running = try desk.add(processing("org.example.b"))
        try desk.launch(running)
        #expect(try desk.cancel(running) == .running(launch: 1))
        #expect(try desk.state(running) == .running)
        // What its task says does not matter any more.
        try desk.end(running, AttemptEnd(.failed, snooze: 5))
        #expect(try desk.state(running) == .cancelled)
        #expect(try desk.story(running).suffix(2) == [.ended, .cancelled])

        let finished = try desk.add(processing("org.example.c"))
        try desk.run(finished)
        #expect(try desk.cancel(finished) == .over(.finished))

        let parked = try desk.add(processing("org.example.d"))
        for _ in 0..<3 {
            try desk.launch(parked)
            _ = try desk.crash()
        }
        #expect(try desk.state(parked) == .parked)
        #expect(try desk.cancel(parked) == .cancelled)
    }

    @Test(
        "a request takes the place of pending ones: one that runs has its attempts and dates left")
    func running() throws {
        var description = processing("org.example.a")
        description.retry = RetryPolicy(attempts: 5)
        description.repetition = Repetition(.every(60_000_000_000))
        for (end, reason) in [
            (AttemptEnd(.succeeded), PendingReason.repetition), (AttemptEnd(.failed), .backOff),
            (AttemptEnd(.succeeded, snooze: 9), .snoozed),
            (AttemptEnd(.interrupted), .interrupted),
        ] {
            let first = try desk.add(description)
            try desk.launch(first)
            let second = try desk.submit(processing("org.example.a")).get()
            #expect(second == .queued(second.id, replaced: []))
            try desk.end(first, end)
            #expect(try desk.state(first) == .pending)
            #expect(try desk.request(first).reason == reason)
            #expect(try desk.state(second.id) == .pending)
            let third = try desk.submit(processing("org.example.a")).get()
            #expect(third == .queued(third.id, replaced: [first, second.id]))
            _ = try desk.cancel(third.id)
        }
    }

    @Test("history goes by age and by number, and what is live stays")
    func pruning() throws {
        desk.ledger.limits.historyCount = 5
        let live = try desk.add(processing("org.example.live"))
        let old = try (0..<8).map { _ in try desk.add(refresh()) }
        #expect(try desk.prune() == false)
        #expect(
            try old.map { try desk.isKept($0) } == [false, false] + Array(repeating: true, count: 6)
        )
        desk.now += Int64(desk.ledger.limits.historyAge) + 1
        #expect(try desk.prune() == false)
        #expect(try old.map { try desk.isKept($0) } == Array(repeating: false, count: 7) + [true])
        #expect(try desk.isKept(live))
        #expect(try desk.entries().isEmpty)
    }
}
