// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
import Dispatch

/// A block of `performExpiringActivity`: decides which of its two calls happens, and when its
/// assertion ends.
final class ExpiringActivity: Sendable {
    private let reason: String
    private let block: @Sendable (Bool) -> Void
    private let assertions: ProcessAssertions
    private let life = Locked(ActivityLifeStateMachine())

    init(
        _ reason: String, _ assertions: ProcessAssertions,
        _ block: @escaping @Sendable (Bool) -> Void
    ) {
        self.reason = reason
        self.assertions = assertions
        self.block = block
    }

    func begin() {
        guard let id = assertions.beginActivity(reason, { self.expire() }) else {
            detached { self.block(true) }
            return
        }
        detached {
            // If the time was over before the thread started, only the other call happens.
            if self.life.withLock({ $0.start() }) { self.block(false) }
            self.assertions.end(id)
        }
    }

    private func expire() {
        life.withLock { $0.expire() }
        detached { self.block(true) }
    }

    /// Runs on a new thread: blocks work for long, or wait, and must not delay others.
    private func detached(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "NSProcessInfo.\(reason)", qos: .userInitiated).async(execute: body)
    }
}

/// Whether the work of an expiring activity begins: not where its time is over before.
struct ActivityLifeStateMachine {
    private var isExpired = false

    /// True: call the block with false.
    mutating func start() -> Bool { !isExpired }

    /// Its block is called with true.
    mutating func expire() { isExpired = true }
}
