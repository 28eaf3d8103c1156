// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// The targets of a host, by number.
final class TargetDirectory: Sendable {
    /// At a time.
    static let limit = 65_536

    private struct State {
        var targets: [UInt64: EventTarget] = [:]
        var last: UInt64 = 0
        var isClosed = false
    }

    private let state = Locked(State())

    func add(
        _ make: (UInt64) -> EventTarget
    ) throws(BridgeError) -> EventTarget {
        try state.withLock { state throws(BridgeError) in
            guard !state.isClosed else { throw HostRuntime.closing }
            guard state.targets.count < Self.limit else {
                throw BridgeError(
                    .exhausted, "the host has \(Self.limit) targets; close some before making more")
            }
            state.last += 1
            let target = make(state.last)
            state.targets[state.last] = target
            return target
        }
    }

    subscript(number: UInt64) -> EventTarget? { state.withLock { $0.targets[number] } }

    func remove(_ number: UInt64) {
        // Let go of outside the lock.
        _ = state.withLock { $0.targets.removeValue(forKey: number) }
    }

    /// No more are made.
    func close() {
        let targets = state.withLock { state in
            state.isClosed = true
            return Array(state.targets.values)
        }
        for target in targets { target.hostCloses() }
    }

    /// The host goes.
    func end() {
        let targets = state.withLock { state in
            defer { state.targets = [:] }
            state.isClosed = true
            return Array(state.targets.values)
        }
        for target in targets { target.hostEnds() }
    }
}
