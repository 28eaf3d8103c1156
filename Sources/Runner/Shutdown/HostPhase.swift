// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// The phase of a host's life, readable by any thread, and the signal that a shutdown waits for.
///
/// Only `HostShutdown` changes it, following `HostStateMachine`.
final class HostPhase: Sendable {
    typealias State = HostStateMachine.State

    private let word = Atomic<UInt32>(State.open.rawValue)
    private let waiters = Sleepers()

    @inline(__always) var isOpen: Bool { isBefore(.draining) }

    @inline(__always) func isBefore(_ state: State) -> Bool { isBefore(rawValue: state.rawValue) }

    @inline(__always) func isBefore(rawValue: UInt32) -> Bool {
        word.load(ordering: .sequentiallyConsistent) < rawValue
    }

    /// The error of a call made after shutdown began.
    static var closing: BridgeError {
        BridgeError(.closing, "the host is shutting down; nothing was accepted")
    }

    var isClosed: Bool { word.load(ordering: .acquiring) == State.closed.rawValue }

    func enter(_ state: State) {
        word.store(state.rawValue, ordering: .sequentiallyConsistent)
        waiters.wake()
    }

    /// Signals that something has ended that a shutdown may wait for.
    ///
    /// The caller has written the change with a sequentially consistent operation. Costs one load
    /// while no thread waits.
    @inline(__always) func progressed() {
        #if !(arch(x86_64) || arch(i386))
            // There an exchange does not keep a store before it from passing the load of `wake`.
            atomicMemoryFence(ordering: .sequentiallyConsistent)
        #endif
        waiters.wake()
    }

    /// Waits until `isOver`, at most until a CLOCK_MONOTONIC time. Returns whether it was over.
    /// Checks again after every `progressed`.
    func wait(until deadline: UInt64, _ isOver: () -> Bool) -> Bool {
        waiters.wait(until: deadline, isOver)
    }
}
