// SPDX-License-Identifier: Apache-2.0

/// Whether the work of an expiring activity begins: not where its time is over before.
struct ActivityLifeStateMachine {
    private var isExpired = false

    /// True: call the block with false.
    mutating func start() -> Bool { !isExpired }

    /// Its block is called with true.
    mutating func expire() { isExpired = true }
}
