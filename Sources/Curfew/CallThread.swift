// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Runner

/// A thread that makes blocking calls, so that `async` callers block no thread of Swift's pool.
///
/// The first call starts it. It makes the calls in order, and ends after the last one.
final class CallThread: Sendable {
    private struct State {
        var calls: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Locked(State())

    /// Makes a call on the thread, and returns its result to the Swift task that waits for it.
    func result<Value: Sendable>(
        of call: @escaping @Sendable () -> Result<Value, CurfewError>
    ) async throws(CurfewError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, CurfewError>, Never>) in
            add { continuation.resume(returning: call()) }
        }
        return try result.get()
    }

    private func add(_ call: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.calls.append(call)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // If no thread could be started, the calling thread makes the calls.
        if starts, !HostThreads.startDetached({ self.makeCalls() }) { makeCalls() }
    }

    private func makeCalls() {
        while true {
            let calls = state.withLock { state in
                defer { state.calls = [] }
                state.isRunning = !state.calls.isEmpty
                return state.calls
            }
            guard !calls.isEmpty else { return }
            for call in calls { call() }
        }
    }
}
