// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import ChainInC
import TestSupport
import Testing

/// The chain of a tutorial for B4i, written in C with continuations. The test turns the loop and
/// moves the clock.
@Suite("The chain of controller, expired and done, in C", .timeLimit(.minutes(2)))
struct ChainInCTests {
    /// A module and its host.
    private final class Chain {
        let host: TestHost
        let module: OpaquePointer
        private static let second: UInt64 = 1_000_000_000

        init(_ form: chain_form = CHAIN_WHOLE) throws {
            host = try TestHost(ownLoop: true)
            guard let module = chain_make(host.raw, form) else {
                throw TestFault(text: "no module")
            }
            self.module = module
        }

        deinit {
            host.destroy(leave: 10 * Self.second)
            chain_free(module)
        }

        var notes: String { String(cString: chain_notes(module)) }

        func run() { while let count = host.dispatch(), count > 0 {} }

        func register() {
            #expect(Answer(chain_register(module)) == .ok)
            run()
        }

        /// Launches, and returns once the handler has returned.
        func launch() throws -> curfew_task {
            let (answer, task) = host.tryLaunch(CHAIN_IDENTIFIER)
            guard answer == .ok else { throw TestFault(text: "not launched: \(answer)") }
            try host.waitUntilPending(task)
            return task
        }

        func pass(_ nanoseconds: UInt64) { host.clock?.advance(nanoseconds) }
        func passBudget() { pass(30 * Self.second) }
        func passGrace() { pass(5 * Self.second) }

        func outcome(_ task: curfew_task) throws -> curfew_outcome { try host.query(task).outcome }
    }

    private static let start = "registered, "

    @Test("S0.23: Register runs the native call, waits for its event, and completes with the error")
    func register() throws {
        let chain = try Chain()
        #expect(Answer(chain_register(chain.module)) == .ok)
        #expect(chain.notes == "")
        chain.run()
        #expect(chain.notes == "registered")
        chain.register()
        #expect(chain.notes.hasPrefix("registered, registered: the identifier"))
        #expect(chain.notes.contains("is taken"))
    }

    @Test("S0.28, S0.29, S0.30, S0.37: in time: completed with True, once")
    func inTime() throws {
        let chain = try Chain()
        chain.register()
        let task = try chain.launch()
        chain.run()
        #expect(chain.notes == Self.start + "do")
        chain.pass(10_000_000)
        chain.run()
        #expect(chain.notes == Self.start + "do, did, completed True: done, done True")
        #expect(try chain.outcome(task) == curfew_outcome(CURFEW_OUTCOME_SUCCEEDED))
    }

    @Test("S0.31, S0.37: expired during the pause: completed with False, once, within the grace")
    func expired() throws {
        let chain = try Chain()
        chain.register()
        let task = try chain.launch()
        chain.run()
        // It is told to stop before the loop comes to the end of the pause.
        chain.passBudget()
        chain.run()
        let late = String(cString: curfew_status_text(curfew_status(CURFEW_LATE)))
        #expect(
            chain.notes == Self.start
                + "do, expired, did, completed False: \(late), done False Background task expired.")
        #expect(try chain.outcome(task) == curfew_outcome(CURFEW_OUTCOME_EXPIRED))
    }

    @Test(
        "S0.33: Done is queued, then it expires: completed with False, once; the second Done is lost"
    )
    func doneThenExpired() throws {
        let chain = try Chain()
        chain.register()
        let task = try chain.launch()
        chain.run()
        chain.pass(10_000_000)
        #expect(chain.host.dispatch(1) == 1)
        #expect(chain.notes == Self.start + "do, did")
        chain.passBudget()
        #expect(chain.notes == Self.start + "do, did, expired")
        let unhandled = try counts(chain).unhandled
        chain.run()
        let late = String(cString: curfew_status_text(curfew_status(CURFEW_LATE)))
        #expect(
            chain.notes == Self.start
                + "do, did, expired, completed False: \(late), done False Background task expired.")
        #expect(try counts(chain).unhandled == unhandled + 1)
        #expect(try chain.outcome(task) == curfew_outcome(CURFEW_OUTCOME_EXPIRED))
    }

    @Test("S0.34: expired before there is an expiration handler: the host completes it with False")
    func expiredInTheGap() throws {
        let chain = try Chain(CHAIN_NO_EXPIRATION_HANDLER)
        chain.register()
        let task = try chain.launch()
        // The controller has not started either: the loop comes to it only after the end.
        chain.passBudget()
        chain.passGrace()
        #expect(try chain.outcome(task) == curfew_outcome(CURFEW_OUTCOME_EXPIRED))
        #expect(try !chain.host.query(task).answered)
        chain.run()
        chain.pass(10_000_000)
        chain.run()
        let over = String(cString: curfew_status_text(curfew_status(CURFEW_EXPIRED)))
        #expect(
            chain.notes == Self.start
                + "do, done False Background task expired., did, completed True: \(over)")
        #expect(try chain.outcome(task) == curfew_outcome(CURFEW_OUTCOME_EXPIRED))
    }

    @Test("S0.35: without a controller nobody completes the task, and its budget ends it")
    func noController() throws {
        let chain = try Chain(CHAIN_NO_CONTROLLER)
        chain.register()
        let task = try chain.launch()
        let unhandled = try counts(chain).unhandled
        chain.run()
        // The scheduling event, and the Done that nobody waited for.
        #expect(try counts(chain).unhandled == unhandled + 2)
        chain.passBudget()
        chain.passGrace()
        chain.run()
        #expect(
            chain.notes == Self.start + "expired, done False Background task expired.")
        #expect(try chain.outcome(task) == curfew_outcome(CURFEW_OUTCOME_EXPIRED))
    }

    @Test("S0.36: a second task of the type waits until the first is over")
    func oneAtATime() throws {
        let chain = try Chain()
        chain.register()
        let first = try chain.launch()
        let (_, second) = chain.host.tryLaunch(CHAIN_IDENTIFIER)
        chain.run()
        #expect(try chain.host.query(second).phase == curfew_task_phase(CURFEW_TASK_PHASE_QUEUED))
        chain.pass(10_000_000)
        chain.run()
        #expect(try chain.outcome(first) == curfew_outcome(CURFEW_OUTCOME_SUCCEEDED))
        try chain.host.waitUntilPending(second)
        chain.run()
        chain.pass(10_000_000)
        chain.run()
        #expect(try chain.outcome(second) == curfew_outcome(CURFEW_OUTCOME_SUCCEEDED))
    }

    private func counts(_ chain: Chain) throws -> curfew_target_counts {
        let read = OutStruct.filled(curfew_target_counts.self) {
            curfew_target_get_counts(chain.host.raw, chain_target(chain.module), $0, nil)
        }
        return try #require(read.value)
    }
}
