// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Dispatch
import Runner
import Scheduling
import TestSupport
import Testing

/// What a host does when the server of its store does not answer, and other hosts will take it for dead.
@Suite("A lease that comes to its end", .timeLimit(.minutes(5)))
struct LeaseTests {
    private static let millisecond: UInt64 = 1_000_000
    private static let lease = 6_000 * millisecond

    /// A lease whose news the test makes up.
    private final class Lease: HostLease {
        let descriptor = csys_eventfd()
        private let tell = Guarded<((HostLeaseNews) -> Void)?>(nil)
        private let isOver = DispatchSemaphore(value: 0)

        func keep(_ tell: @escaping (HostLeaseNews) -> Void) {
            self.tell.change { $0 = tell }
            isOver.wait()
        }
        func begin(_ host: HostRecord) {}
        func end() { isOver.signal() }
        func wakeOthers() {}

        func say(_ news: HostLeaseNews) {
            #expect(tell.wait { $0 != nil })
            tell.value?(news)
        }
    }

    private let lease = Lease()

    private func host() throws -> Host {
        try Host.forTests(clock: ManualClock()) { [lease] configuration in
            configuration.requests.lease = lease
            configuration.requests.record = HostRecord(
                identity: HostIdentity(boot: "b", process: 1, start: 1), since: 0,
                lease: Self.lease)
        }
    }

    @Test("tasks are told to stop as long before as their grace lasts, and no attempt is used")
    func lapses() async throws {
        let host = try host()
        let told = Guarded<[String: (reason: StopReason, at: UInt64)]>([:])
        var ids: [RequestID] = []
        for (identifier, grace) in [("org.example.short", 100), ("org.example.long", 10_000)] {
            let (entered, gate) = (Gate(), Gate())
            try host.register(
                identifier, grace: .milliseconds(grace),
                expired: { _, reason in
                    told.change { $0[identifier] = (reason, csys_boottime_ns()) }
                    gate.open()
                }
            ) { _ in
                entered.open()
                try gate.pass()
            }
            let id = try await host.submit(RequestDescription(identifier)).id
            ids.append(id)
            #expect(await eventually { (try? host.request(id))??.state == .running })
            try entered.pass()
        }
        let end = csys_boottime_ns() + Self.lease / 3
        lease.say(.lapsing(end))
        #expect(told.wait { $0.count == 2 })
        let found = told.value
        #expect(found.values.allSatisfy { $0.reason == .lease })
        // That with a long grace has the whole last third, and no more.
        let short = try #require(found["org.example.short"]).at
        let long = try #require(found["org.example.long"]).at
        #expect(long < short && short >= end - 100 * Self.millisecond)
        // Each is launched again, as the first attempt that it is; not yet, on a slow machine, while the end is near.
        lease.say(.renewed)
        for id in ids {
            #expect(await eventually { (try? host.request(id))??.state == .finished })
            let attempts = try host.attempts(of: id)
            // On a slow machine one that was launched again may have been stopped again.
            #expect(attempts.count >= 2 && attempts.last?.outcome == .succeeded)
            #expect(attempts.allSatisfy { $0.number == 1 })
            #expect(
                attempts.dropLast().allSatisfy { $0.outcome == .interrupted && $0.reason == .lease }
            )
        }
        try host.shutDown()
    }

    @Test("a task whose handler says so goes on, and its end counts if the server is back in time")
    func finishes() async throws {
        let host = try host()
        let told = Guarded<[StopReason]>([])
        let gates = (long: Gate(), short: Gate())
        let entered = Gate()
        try host.register(
            "org.example.long", grace: .zero, onLeaseLost: .finish,
            expired: { _, reason in told.change { $0.append(reason) } }
        ) { _ in try gates.long.pass() }
        try host.register(
            "org.example.short", grace: .zero, expired: { _, _ in gates.short.open() }
        ) { _ in
            entered.open()
            try gates.short.pass()
        }
        let long = try await host.submit(RequestDescription("org.example.long")).id
        #expect(await eventually { (try? host.request(long))??.state == .running })
        let short = try await host.submit(RequestDescription("org.example.short")).id
        #expect(await eventually { (try? host.request(short))??.state == .running })
        // One that is not inside its function yet is not called back.
        try entered.pass()
        lease.say(.lapsing(csys_boottime_ns()))
        try gates.short.pass()
        lease.say(.renewed)
        #expect(await eventually { (try? host.request(short))??.state == .finished })
        #expect(try host.attempts(of: short).map(\.outcome) == [.interrupted, .succeeded])
        gates.long.open()
        #expect(await eventually { (try? host.request(long))??.state == .finished })
        #expect(try host.attempts(of: long).map(\.outcome) == [.succeeded])
        #expect(told.value == [])
        try host.shutDown()
    }

    @Test("tasks go on if the server answers in time, and nothing is launched while it does not")
    func renewed() async throws {
        let host = try host()
        let reasons = Guarded<[StopReason]>([])
        let (entered, gate) = (Gate(), Gate())
        try host.register(
            "org.example.short", grace: .milliseconds(100),
            expired: { _, reason in
                reasons.change { $0.append(reason) }
                gate.open()
            }
        ) { _ in
            entered.open()
            try gate.pass()
        }
        try host.register("org.example.other") { _ in }
        let first = try await host.submit(RequestDescription("org.example.short")).id
        #expect(await eventually { (try? host.request(first))??.state == .running })
        // One that is not inside its function yet is not called back.
        try entered.pass()
        let hour = 3_600_000 * Self.millisecond
        lease.say(.lapsing(csys_boottime_ns() + hour))
        lease.say(.renewed)
        #expect(reasons.value.isEmpty)
        lease.say(.lapsed)
        let next = try await host.submit(RequestDescription("org.example.other")).id
        #expect(try await host.why(next).first { $0.holds }?.factor == .host)
        // What still runs then is stopped, as the time has come.
        lease.say(.lapsing(csys_boottime_ns()))
        #expect(reasons.wait { $0 == [.lease] })
        lease.say(.renewed)
        for id in [first, next] {
            #expect(await eventually { (try? host.request(id))??.state == .finished })
        }
        try host.shutDown()
    }
}
