// SPDX-License-Identifier: Apache-2.0

/// What is to be called when a task is over, and what was asked for before that.
struct OverContinuation {
    let body: @Sendable () -> Void
    var previous: UnsafeMutablePointer<OverContinuation>?
}
