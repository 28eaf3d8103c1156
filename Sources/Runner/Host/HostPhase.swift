// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// The phase of a host's life, to be read by any thread, and the signal that a shutdown waits for.
///
/// `HostShutdown` alone moves it, as `HostStateMachine` says.
final class HostPhase: Sendable {
    typealias State = HostStateMachine.State

    /// `State.rawValue`.
    private let word = Atomic<UInt32>(State.open.rawValue)
    private let waiters = Sleepers()

    @inline(__always) var isOpen: Bool { isBefore(.draining) }

    @inline(__always) func isBefore(_ state: State) -> Bool { isBefore(rawValue: state.rawValue) }

    @inline(__always) func isBefore(rawValue: UInt32) -> Bool {
        word.load(ordering: .sequentiallyConsistent) < rawValue
    }

    /// The error for a call that came after a shutdown began.
    static var closing: BridgeError {
        BridgeError(.closing, "the host is shutting down; nothing was taken in")
    }

    var isClosed: Bool { word.load(ordering: .acquiring) == State.closed.rawValue }

    /// Begins a phase, and wakes a shutdown that waits.
    func enter(_ state: State) {
        word.store(state.rawValue, ordering: .sequentiallyConsistent)
        waiters.wake()
    }

    /// Something has ended that a shutdown may wait for. Costs one load while none waits.
    ///
    /// What ended was written by a sequentially consistent operation before.
    @inline(__always) func progressed() {
        #if !(arch(x86_64) || arch(i386))
            // There an exchange does not keep a store before it from passing the load of `wake`.
            atomicMemoryFence(ordering: .sequentiallyConsistent)
        #endif
        waiters.wake()
    }

    /// Sleeps until `isOver`, which is asked again after every `progressed`, at most until a
    /// CLOCK_MONOTONIC time. Returns whether it was over once.
    func wait(until deadline: UInt64, _ isOver: () -> Bool) -> Bool {
        waiters.wait(until: deadline, isOver)
    }
}
