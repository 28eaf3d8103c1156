// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// What the embedder's log function may ask of its host.
@Suite("Inside the log function")
struct LogFunctionTests {
    /// What the log function calls, and what it was answered.
    private final class Caller: @unchecked Sendable {
        // Sendable: `host` is set before anything is logged; the answers are guarded.

        nonisolated(unsafe) var host: OpaquePointer?
        let answers = Guarded<[String: [Answer]]>([:])

        func call(_ clock: OpaquePointer?) {
            guard let host else { return }
            var error = curfew_error.empty
            var request: curfew_request = 0
            note("destroy", curfew_host_destroy(host, nil, &error))
            note("shutdown", curfew_host_shutdown(host, nil, &error))
            note("load", curfew_host_load_plugin(host, "/nonexistent", &error))
            note("scan", curfew_host_scan_plugins(host, "/", nil, &error))
            note(
                "submit",
                curfew_host_submit(host, "org.example.tidy", nil, &request, nil, &error))
            note("cancel", curfew_host_cancel_request(host, 1, &error))
            note("wait", curfew_host_wait_task(host, 1, 0, nil, nil))
            note("dispatch", curfew_host_dispatch(host, 0, nil, nil))
            note("advance", curfew_clock_advance(clock!, 1, nil))
        }

        private func note(_ name: String, _ status: curfew_status) {
            answers.change { $0[name, default: []].append(Answer(status)) }
        }
    }

    @Test("what waits, loads, shuts down or asks for requests is WRONG_THREAD, on every thread")
    func calls() throws {
        let caller = Caller()
        let clock = TestClock()
        let pair = Guarded((caller, clock))
        let host = try TestHost(clock: clock, ownLoop: true, observing: false) {
            $0.log_data = Unmanaged.passUnretained(pair).toOpaque()
            $0.log = { data, _, _, _, _, _ in
                let (caller, clock) = Unmanaged<Guarded<(Caller, TestClock)>>.fromOpaque(data!)
                    .takeUnretainedValue().value
                caller.call(clock.raw)
            }
        }
        host.keep(pair)
        caller.host = host.raw
        try host.register { call in
            call.log("on a worker")
            return 0
        }
        host.call(0).log("on a thread of the embedder's")
        #expect(host.wait(try host.launch()) == .ok)
        #expect(
            caller.answers.value
                == Dictionary(
                    uniqueKeysWithValues: [
                        "destroy", "shutdown", "load", "scan", "submit", "cancel", "wait",
                        "dispatch", "advance",
                    ].map { ($0, [.wrongThread, .wrongThread]) }))
        // And nothing of it has happened.
        #expect(host.wait(try host.launch()) == .ok)
    }
}
