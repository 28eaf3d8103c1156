// SPDX-License-Identifier: Apache-2.0
import CSystem
public import PluginBridge
import Synchronization

/// Somebody who wants one event, once.
public final class Expectation: @unchecked Sendable {
    // Sendable: `state` is locked, `word` is atomic, the number is constant.

    private struct State {
        var outcome: Result<HostEvent, BridgeError>?
        var continuation: (@Sendable (Result<HostEvent, BridgeError>) -> Void)?
    }

    public let number: UInt64
    private let state = Locked(State())
    private let word: UnsafeMutablePointer<Atomic<UInt32>>

    init(number: UInt64) {
        self.number = number
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(0))
    }

    deinit {
        word.deinitialize(count: 1)
        word.deallocate()
    }

    /// How it ended, once it has.
    public var outcome: Result<HostEvent, BridgeError>? { state.withLock { $0.outcome } }

    /// The first one decides.
    func settle(_ outcome: Result<HostEvent, BridgeError>) {
        let continuation = state.withLock { state in
            guard state.outcome == nil else {
                return Optional<@Sendable (Result<HostEvent, BridgeError>) -> Void>.none
            }
            state.outcome = outcome
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?(outcome)
        word.pointee.store(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(word, .max)
    }

    /// Calls `body` once, when it is settled, on the thread that settles it, or at once.
    func whenSettled(_ body: @escaping @Sendable (Result<HostEvent, BridgeError>) -> Void) {
        let settled = state.withLock { state in
            if state.outcome == nil { state.continuation = body }
            return state.outcome
        }
        if let settled { body(settled) }
    }

    /// Sleeps until it is settled, at most until a CLOCK_MONOTONIC time.
    func sleep(until: UInt64) {
        guard word.pointee.load(ordering: .sequentiallyConsistent) == 0 else { return }
        csys_futex_wait(word, 0, until)
    }
}
