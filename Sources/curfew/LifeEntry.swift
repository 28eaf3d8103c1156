// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// Something that happened in the life of a task.
struct LifeEntry: Sendable {
    enum What: Sendable {
        case started
        case progress(Double, String)
        /// An event of the plugin's own.
        case raised(EventSelector, [EventValue])
        case log(LogLevel, String)
        /// The program was sent a signal, and tells the task to stop.
        case signal(Int32)
        /// The task is expiring; the handler has this grace, in nanoseconds.
        case expiring(StopReason?, grace: UInt64)
        /// The number of events that were lost.
        case gap(Int64)
        /// Its done event, the last.
        case done(EventSelector, [EventValue])
    }

    /// Nanoseconds since the program began with it.
    let time: UInt64
    let what: What
}
