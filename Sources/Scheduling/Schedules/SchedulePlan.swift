// SPDX-License-Identifier: Apache-2.0

/// The steps that make the schedules of a store those of a configuration.
///
/// Requests are found by the rows of the schedules, not by idempotency keys: a key would find the
/// cancelled request of a schedule that was removed and put back, or none once the history is pruned.
package struct SchedulePlan: Hashable, Sendable {
    /// A change of one schedule.
    package enum Step: Hashable, Sendable {
        /// It is new.
        case add(Schedule)
        /// It says something else than before, or is to be made anew.
        case replace(StoredSchedule, Schedule)
        /// It stands elsewhere in the configuration.
        case move(StoredSchedule, Schedule)
        /// The configuration does not have it any more.
        case remove(StoredSchedule)
    }

    /// The changes, ordered by name.
    package private(set) var steps: [Step] = []

    /// Plans the changes.
    ///
    /// - Parameters:
    ///   - wanted: those of the configuration, each name once.
    ///   - stored: those of the store.
    package init(wanted: [Schedule], stored: [StoredSchedule]) {
        var left = Dictionary(uniqueKeysWithValues: stored.map { ($0.name, $0) })
        for schedule in wanted.sorted(by: { $0.name < $1.name }) {
            guard let row = left.removeValue(forKey: schedule.name) else {
                steps.append(.add(schedule))
                continue
            }
            if row.digest != schedule.digest {
                steps.append(.replace(row, schedule))
            } else if row.source != schedule.source {
                steps.append(.move(row, schedule))
            }
        }
        steps += left.values.sorted { $0.name < $1.name }.map { .remove($0) }
    }
}
