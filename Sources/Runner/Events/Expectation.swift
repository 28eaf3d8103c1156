// SPDX-License-Identifier: Apache-2.0
import CurfewValues
package import PluginBridge
import Synchronization

/// A wait for one event.
package final class Expectation: @unchecked Sendable {
    // Sendable: `state` is locked, `sleepers` is atomic, the number is constant.

    private struct State {
        var outcome: Result<HostEvent, BridgeError>?
        var continuations: [@Sendable (Result<HostEvent, BridgeError>) -> Void] = []
    }

    package let number: UInt64
    private let state = Locked(State())
    private let sleepers = Sleepers()

    init(number: UInt64) { self.number = number }

    package var outcome: Result<HostEvent, BridgeError>? { state.withLock { $0.outcome } }

    /// Sets the result, unless it is set already.
    func settle(_ outcome: Result<HostEvent, BridgeError>) {
        let continuations = state.withLock { state in
            guard state.outcome == nil else {
                return [@Sendable (Result<HostEvent, BridgeError>) -> Void]()
            }
            state.outcome = outcome
            defer { state.continuations = [] }
            return state.continuations
        }
        for continuation in continuations { continuation(outcome) }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        sleepers.wake()
    }

    /// Calls `body` once settled: on the settling thread, or at once if it is settled already.
    package func whenSettled(_ body: @escaping @Sendable (Result<HostEvent, BridgeError>) -> Void) {
        let settled = state.withLock { state in
            if state.outcome == nil { state.continuations.append(body) }
            return state.outcome
        }
        if let settled { body(settled) }
    }

    func sleep(until: UInt64) {
        let word = sleepers.prepare()
        guard outcome == nil else { return }
        sleepers.sleep(since: word, until: until)
    }
}
