// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// Waits on a thread that runs the embedder's loop meanwhile.
@Suite("Waiting on the thread of the loop")
struct LoopWaitTests {
    private let selector = EventSelector(name: "waited", arity: 0)!
    private let long: UInt64 = 30_000_000_000

    /// A host whose loop the embedder runs.
    private func host() throws -> HostRuntime {
        var configuration = HostConfiguration()
        configuration.manualDispatch = true
        configuration.log = { _, _, _, _ in }
        return try HostRuntime(configuration)
    }

    /// How often the calling thread has slept (getrusage(2); Glibc's module lacks RUSAGE_THREAD).
    private static var switches: Int {
        var usage = rusage()
        getrusage(1, &usage)
        return usage.ru_nvcsw
    }

    /// Starts a wait on a thread that owns the loop, and returns once that sleeps.
    private func wait(
        _ host: HostRuntime, timeout: UInt64
    ) throws -> Side<(Result<HostEvent, BridgeError>, switches: Int)> {
        let number = try host.loop.expect(selector, task: 0, context: 0).get().number
        let isOwner = Signal()
        let side = Side {
            _ = host.loop.dispatch(limit: 0)
            isOwner.send()
            let before = Self.switches
            let outcome = host.loop.collect(number, timeout: timeout)
            return (outcome, switches: Self.switches - before)
        }
        #expect(isOwner.wait())
        #expect(side.waitUntilAsleep())
        return side
    }

    private func status(_ outcome: Result<HostEvent, BridgeError>?) -> Status? {
        guard case .failure(let error) = outcome else { return nil }
        return error.status
    }

    @Test("a wait for an event that does not come sleeps once, and does not look every so often")
    func sleeping() throws {
        let host = try host()
        let waited = try wait(host, timeout: 400_000_000).join()
        #expect(status(waited?.0) == .timedOut)
        #expect(try #require(waited).switches < 5)
        try host.destroy()
    }

    @Test("a wait that another thread replaces ends at once")
    func replaced() throws {
        let host = try host()
        let waiting = try wait(host, timeout: long)
        let began = SuspendingClock.now
        _ = try host.loop.expect(selector, task: 0, context: 0).get()
        #expect(status(waiting.join()?.0) == .replaced)
        #expect(SuspendingClock.now - began < .seconds(10))
        try host.destroy()
    }

    @Test("a wait that another thread gives up ends at once")
    func givenUp() throws {
        let host = try host()
        let expectation = try host.loop.expect(selector, task: 0, context: 1).get()
        let waiting = Side {
            _ = host.loop.dispatch(limit: 0)
            return host.loop.collect(expectation.number, timeout: long)
        }
        #expect(waiting.waitUntilAsleep())
        let began = SuspendingClock.now
        host.loop.giveUp(expectation, BridgeError(.stale, "no more"))
        #expect(status(waiting.join()) == .stale)
        #expect(SuspendingClock.now - began < .seconds(10))
        try host.destroy()
    }

    @Test("a shutdown ends a wait")
    func shutdown() throws {
        let host = try host()
        let waiting = try wait(host, timeout: long)
        try host.shutDown()
        #expect(status(waiting.join()?.0) == .closing)
        try host.destroy()
    }

    @Test("a wait gets its event whichever thread delivers it")
    func otherThreadDelivers() throws {
        let host = try host()
        for round in 0..<300 {
            let number = try host.loop.expect(selector, task: 0, context: 0).get().number
            let begins = Signal()
            let waiting = Side {
                _ = host.loop.dispatch(limit: 0)
                begins.send()
                return host.loop.collect(number, timeout: long)
            }
            // The other thread may not have begun, be about to sleep, or sleep.
            switch round % 3 {
            case 1: #expect(begins.wait())
            case 2: #expect(waiting.waitUntilAsleep())
            default: break
            }
            let began = SuspendingClock.now
            #expect(host.loop.raise(selector, []) == .ok)
            _ = host.loop.dispatch(limit: 0)
            _ = host.loop.dispatch(limit: 0)
            guard case .success = waiting.join() else {
                Issue.record("round \(round): the event did not come")
                break
            }
            guard SuspendingClock.now - began < .seconds(10) else {
                Issue.record("round \(round): the event came late")
                break
            }
        }
        try host.destroy()
    }
}
