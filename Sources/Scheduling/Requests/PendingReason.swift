// SPDX-License-Identifier: Apache-2.0

/// The origin of a pending request's date.
package enum PendingReason: UInt8, Sendable, CaseIterable, KebabCased {
    /// It was submitted, with or without an earliest date.
    case submitted = 1
    /// An attempt failed, and this is the pause before the next one.
    case backOff = 2
    /// Its task postponed it.
    case snoozed = 3
    /// It waits for the next date of a repetition.
    case repetition = 4
    /// Its task was interrupted, by a shutdown or with the process.
    case interrupted = 5
    /// It was parked, and then released.
    case released = 6
    /// A person asked for a launch: the request was retried, or is launched before its date.
    case byHand = 7
}
