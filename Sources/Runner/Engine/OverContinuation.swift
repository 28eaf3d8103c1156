// SPDX-License-Identifier: Apache-2.0

/// A callback for the end of a task, linked to those added before it.
struct OverContinuation {
    let body: @Sendable () -> Void
    var previous: UnsafeMutablePointer<OverContinuation>?
}
