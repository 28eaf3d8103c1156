// SPDX-License-Identifier: Apache-2.0
import AppHost
import Dispatch

/// One block that was handed to `performExpiringActivity`: which of its two calls comes, and when its
/// assertion ends.
final class ExpiringActivity: Sendable {
    private let reason: String
    private let block: @Sendable (Bool) -> Void
    private let assertions: ProcessAssertions
    private let life = AppLocked(ActivityLifeStateMachine())

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
            // Where its time was over before there was a thread for it, the other call is the only one.
            if self.life.withLock({ $0.start() }) { self.block(false) }
            self.assertions.end(id)
        }
    }

    private func expire() {
        life.withLock { $0.expire() }
        detached { self.block(true) }
    }

    /// On a thread of its own: blocks work for long, or wait, and must not keep others from theirs.
    private func detached(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "NSProcessInfo.\(reason)", qos: .userInitiated).async(execute: body)
    }
}
