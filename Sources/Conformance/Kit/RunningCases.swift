// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling

/// Cases that run in children, each with a thread that waits for it.
final class RunningCases: Sendable {
    /// The result of a child.
    struct Ended: Sendable {
        let result: CaseResult
        /// Nanoseconds of the longest success example, if they were measured.
        let pace: UInt64?
    }

    private struct State {
        /// The number of threads.
        var count = 0
        var ended: [(index: Int, Result<Ended, ContainmentError>)] = []
    }

    private let state = Locked(State())
    private let signal = csys_eventfd()

    deinit { csys_close(signal) }

    /// Runs a case on a thread of its own. If there can be none, those that run are waited for.
    func start(
        _ index: Int, _ run: @escaping @Sendable () throws(ContainmentError) -> Ended
    ) throws(ContainmentError) {
        state.withLock { $0.count += 1 }
        let isStarted = ThreadBody.start {
            csys_thread_name("curfew-case")
            let end = Result<Ended, ContainmentError> { () throws(ContainmentError) in try run() }
            // The thread lives on for a moment, in which its child is over already.
            self.state.withLock { $0.ended.append((index, end)) }
            csys_eventfd_signal(self.signal)
        }
        guard isStarted else {
            state.withLock { $0.count -= 1 }
            finish()
            throw ContainmentError("a thread that waits for a child process cannot be started")
        }
    }

    /// Returns those that have ended since the last call; waits for one if there is none, and some run.
    /// Throws once none runs any more if one could not be run.
    func ended() throws(ContainmentError) -> [(index: Int, Ended)] {
        while true {
            csys_eventfd_drain(signal)
            let (ended, count) = state.withLock { state in
                defer { state.ended = [] }
                state.count -= state.ended.count
                return (state.ended, state.count)
            }
            if ended.isEmpty, count > 0 {
                csys_wait_any_readable([signal], 1, .max)
                continue
            }
            var results: [(index: Int, Ended)] = []
            for (index, end) in ended {
                do throws(ContainmentError) {
                    results.append((index, try end.get()))
                } catch {
                    finish()
                    throw error
                }
            }
            return results
        }
    }

    /// Waits until none runs any more, so that nothing is left of them.
    private func finish() {
        while state.withLock({ $0.count > $0.ended.count }) {
            csys_wait_any_readable([signal], 1, .max)
            csys_eventfd_drain(signal)
        }
    }
}
