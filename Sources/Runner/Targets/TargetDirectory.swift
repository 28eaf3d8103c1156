// SPDX-License-Identifier: Apache-2.0
import CurfewValues
package import PluginBridge

/// The targets of a host, by number.
package final class TargetDirectory: Sendable {
    static let limit = 65_536

    private struct State {
        var targets: [UInt64: EventTarget] = [:]
        var last: UInt64 = 0
        var isClosed = false
    }

    private let state = Locked(State())
    let loop: EventLoop
    let deadlines: Deadlines
    let log: HostLog

    init(_ loop: EventLoop, _ deadlines: Deadlines, _ log: HostLog) {
        self.loop = loop
        self.deadlines = deadlines
        self.log = log
    }

    /// Creates a target with a name for messages. Throws `.invalid`, `.exhausted` or `.closing`.
    package func make(
        _ name: String, _ options: EventTarget.Options = EventTarget.Options()
    ) throws(BridgeError) -> EventTarget {
        guard loop.phase.isOpen else { throw HostPhase.closing }
        guard (1...128).contains(name.utf8.count) else {
            throw BridgeError(.invalid, "a target's name is 1…128 bytes long")
        }
        return try add { EventTarget(name, number: $0, options, in: self) }
    }

    private func add(
        _ make: (UInt64) -> EventTarget
    ) throws(BridgeError) -> EventTarget {
        try state.withLock { state throws(BridgeError) in
            guard !state.isClosed else { throw HostPhase.closing }
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

    package subscript(number: UInt64) -> EventTarget? { state.withLock { $0.targets[number] } }

    func remove(_ number: UInt64) {
        // Released outside of the lock.
        _ = state.withLock { $0.targets.removeValue(forKey: number) }
    }

    /// Prevents new targets and ends all waits.
    func close() {
        let targets = state.withLock { state in
            state.isClosed = true
            return Array(state.targets.values)
        }
        for target in targets { target.hostCloses() }
    }

    func end() {
        let targets = state.withLock { state in
            defer { state.targets = [:] }
            state.isClosed = true
            return Array(state.targets.values)
        }
        for target in targets { target.hostEnds() }
    }
}
