// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import PluginBridge

/// Holds back calls for a task that the plugin completes from a thread of its own, so that what its threads do at the
/// same time comes in an order that is seldom seen.
final class CallOrder: Sendable {
    enum Kind: Sendable, CaseIterable {
        /// The function returns first. A completion waits for that.
        case returnFirst
        /// The completion comes first. The first other calls of the function wait for that.
        case completionFirst

        /// To follow "when".
        var text: String {
            switch self {
            case .returnFirst: "its function returned before it was completed"
            case .completionFirst: "it was completed during a call of its function"
            }
        }

        /// The most nanoseconds of a wait: the function may wait for the completion, or the other way round.
        fileprivate var limit: UInt64 {
            switch self {
            case .returnFirst: 1_000_000_000
            case .completionFirst: 500_000_000
            }
        }
    }

    private struct State {
        /// The threads of the functions that run, by task.
        var functions: [UInt64: UInt64] = [:]
        /// How often the functions have waited, by task.
        var waits: [UInt64: Int] = [:]
        var completed: Set<UInt64> = []
    }

    /// Some calls come before the function has handed its task over.
    private static let mostWaits = 3

    private let kind: Kind
    private let state = Locked(State())

    init(_ kind: Kind) { self.kind = kind }

    func functionBegins(_ task: UInt64) {
        let thread = csys_thread_number()
        state.withLock { $0.functions[task] = thread }
    }

    func functionReturned(_ task: UInt64) {
        state.withLock { _ = $0.functions.removeValue(forKey: task) }
    }

    /// The plugin completes a task. Returns once it may.
    func completes(_ task: UInt64) {
        guard case .returnFirst = kind else { return }
        let thread = csys_thread_number()
        wait { state in state.functions[task].map { $0 == thread } ?? true }
    }

    func completed(_ task: UInt64) { state.withLock { _ = $0.completed.insert(task) } }

    /// The plugin calls another function for a task. Returns once it may.
    func calls(_ task: UInt64) {
        guard case .completionFirst = kind else { return }
        let thread = csys_thread_number()
        let waits = state.withLock { state in
            guard state.functions[task] == thread,
                state.waits[task, default: 0] < Self.mostWaits
            else { return false }
            state.waits[task, default: 0] += 1
            return true
        }
        if waits { wait { $0.completed.contains(task) } }
    }

    private func wait(_ isOver: (State) -> Bool) {
        let until = csys_monotonic_ns() &+ kind.limit
        var word: UInt32 = 0
        while !state.withLock({ isOver($0) }), csys_monotonic_ns() < until {
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 1_000_000)
        }
    }
}
