// SPDX-License-Identifier: Apache-2.0

/// The changes that a configuration made to the schedules of a store.
package struct ScheduleChanges: Hashable, Sendable {
    /// The names of those that are new.
    package var added: [String] = []
    /// The names of those that say something else than before.
    package var changed: [String] = []
    /// The names of those that the configuration does not have any more.
    package var removed: [String] = []
    /// The names of those whose request is over, by a person's hand or since there is no other date.
    package var over: [String] = []
    /// The names of those that are never due, with the reason.
    package var refused: [String: String] = [:]
    /// The number of those that stay as they are.
    package var kept = 0

    package init() {}
}
