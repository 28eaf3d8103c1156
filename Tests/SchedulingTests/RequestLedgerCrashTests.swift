// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Requests whose host went away")
struct RequestLedgerCrashTests {
    private let desk = RequestDesk()

    private func add(_ name: String = "a") throws -> RequestID {
        try desk.add(RequestDescription("org.example.\(name)", kind: .processing))
    }

    @Test("the first host of a store finds everything in order, and each that left in order")
    func order() throws {
        #expect(try desk.open() == (interrupted: 0, parked: 0, wasClean: true))
        #expect(try desk.crash().wasClean == false)
        try desk.leave()
        #expect(try desk.crash().wasClean)
        #expect(try desk.story() == [.hostStarted, .hostStarted, .hostStopped, .hostStarted])
    }

    @Test("what ran is pending again, due at once, and has used no attempt")
    func interrupted() throws {
        _ = try desk.open()
        let (running, pending) = (try add(), try add("b"))
        try desk.launch(running)
        desk.now += second
        #expect(try desk.crash() == (interrupted: 1, parked: 0, wasClean: false))
        let request = try desk.request(running)
        #expect((request.state, request.reason) == (.pending, .interrupted))
        #expect((request.notBefore, request.attempts, request.crashes) == (desk.now, 0, 1))
        #expect(request.outcome == .interrupted)
        #expect(try desk.attempts(running).map(\.outcome) == [.interrupted])
        #expect(try desk.request(pending).crashes == 0)
        // The host before may still say how it ended: too late.
        #expect(try desk.end(running, AttemptEnd(.succeeded), launch: 1) == nil)
        #expect(try desk.run(running).number == 1)
        #expect(try desk.request(running).crashes == 0)
    }

    @Test(
        "an end of a plugin's process that several may have caused counts as a crash, and as no attempt"
    )
    func suspected() throws {
        let id = try add()
        try desk.launch(id)
        let ended = try desk.end(id, AttemptEnd(.crashed, error: "killed", isSuspect: true))
        #expect(ended?.state == .pending && ended?.reason == .interrupted)
        #expect((ended?.attempts, ended?.crashes) == (0, 1))
        #expect(try desk.attempts(id).map(\.outcome) == [.crashed])
        // Alone it is not suspected any more: it has done it.
        #expect(try desk.run(id, AttemptEnd(.crashed, error: "killed")).number == 1)
        #expect(try desk.state(id) == .finished && desk.request(id).crashes == 0)
        // One that was cancelled meanwhile is over.
        let other = try add("b")
        try desk.launch(other)
        _ = try desk.cancel(other)
        #expect(try desk.end(other, AttemptEnd(.crashed, isSuspect: true))?.state == .cancelled)
    }

    @Test("after three crashes in a row a request is parked until it is released")
    func parked() throws {
        let id = try add()
        for round in 1...3 {
            try desk.launch(id)
            #expect(try desk.crash().parked == (round == 3 ? 1 : 0))
        }
        #expect(try desk.state(id) == .parked)
        #expect(try desk.launch(id) == nil)
        #expect(try desk.story(id).last == .parked)
        // A newer one of its identifier does not touch it.
        _ = try add()
        #expect(try desk.state(id) == .parked)
        #expect(try desk.release(id))
        #expect(try desk.release(id) == false)
        #expect(try desk.request(id).crashes == 0)
        #expect(try desk.run(id).launch == 4)
        #expect(try desk.state(id) == .finished)
    }

    @Test("an end that comes after others have taken over says that the process had not ended")
    func acquitted() throws {
        let id = try add()
        try desk.launch(id)
        _ = try desk.crash()
        #expect(try desk.request(id).crashes == 1)
        // One of which nothing is known, and one that is no host's fault, change nothing.
        #expect(try desk.end(id, AttemptEnd(.succeeded), launch: 7) == nil)
        let crashed = AttemptEnd(.crashed, isSuspect: true)
        #expect(try desk.end(id, crashed, launch: 1) == nil)
        #expect(try desk.request(id).crashes == 1)
        for round in 2...4 as ClosedRange<UInt64> {
            #expect(
                try desk.end(id, AttemptEnd(.interrupted, reason: .lease), launch: round - 1) == nil
            )
            #expect(try desk.request(id).crashes == 0)
            try desk.launch(id)
            #expect(try desk.crash().parked == 0)
        }
        for round in 5...6 as ClosedRange<UInt64> {
            try desk.launch(id)
            #expect(try desk.crash().parked == (round == 6 ? 1 : 0))
        }
        #expect(try desk.state(id) == .parked)
        #expect(try desk.end(id, AttemptEnd(.succeeded), launch: 6) == nil)
        #expect(try desk.state(id) == .pending && desk.request(id).crashes == 2)
        #expect(try desk.story(id).last == .released)
    }

    @Test("a launch that lives to see its end ends the row")
    func row() throws {
        let id = try desk.add(
            RequestDescription("org.example.a", retry: RetryPolicy(attempts: 100, jitter: 0)))
        for _ in 0..<5 {
            for _ in 0..<2 {
                try desk.launch(id)
                _ = try desk.crash()
            }
            try desk.run(id, AttemptEnd(.failed))
            desk.now = try desk.request(id).notBefore
        }
        #expect(try desk.state(id) == .pending)
    }

    @Test("a machine that went down says nothing about its requests, nor the same host twice")
    func boots() throws {
        let id = try add()
        for boot in 0..<5 {
            try desk.launch(id)
            #expect(try desk.crash(boot: "boot-\(boot)") == (1, 0, boot == 0))
        }
        for _ in 0..<5 {
            try desk.launch(id)
            #expect(try desk.open().interrupted == 1)
        }
        #expect(try desk.request(id).crashes == 0)
        #expect(try desk.state(id) == .pending)
    }

    @Test("what was cancelled while it ran does not come back, and all else does")
    func marked() throws {
        let (cancelled, running) = (try add("a"), try add("b"))
        try desk.launch(cancelled)
        try desk.launch(running)
        _ = try desk.cancel(cancelled)
        let newer = try add("b")
        #expect(try desk.crash() == (2, 0, true))
        #expect(try desk.state(cancelled) == .cancelled)
        #expect(try desk.state(running) == .pending)
        #expect(try desk.state(newer) == .pending)
    }
}
