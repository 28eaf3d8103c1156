// SPDX-License-Identifier: Apache-2.0

/// The action that follows from an input of `AssertionStateMachine`.
package enum AssertionAction: Equatable, Sendable {
    /// Have the handlers of the tasks called on the main thread, one after the other, as `nextTask`
    /// names them.
    case expireTasks
    /// Call the block of this activity with true.
    case expireActivity(UInt64)
    /// These are still there; they are not counted any more.
    case overran([AssertionOverrun])
    /// The app is suspended.
    case suspend
    /// It goes on.
    case resume
}
