// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import PluginBridge
import Runner

/// A wait or sleep in a target whose Swift task may be cancelled meanwhile.
final class Suspension: Sendable {
    private struct State {
        var number: UInt64?
        var isCancelled = false
    }

    private let target: EventTarget
    private let state = Locked(State())

    init(_ target: EventTarget) { self.target = target }

    func began(_ number: UInt64) {
        let isCancelled = state.withLock { state in
            state.number = number
            return state.isCancelled
        }
        if isCancelled { giveUp(number) }
    }

    func cancel() {
        let number = state.withLock { state in
            state.isCancelled = true
            return state.number
        }
        if let number { giveUp(number) }
    }

    private func giveUp(_ number: UInt64) {
        target.giveUp(number, BridgeError(.replaced, "the waiting task was cancelled"))
    }
}
