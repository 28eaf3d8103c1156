// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// Shows the life of a task, on one thread.
protocol LifeView: AnyObject {
    func begin(_ facts: LifeFacts)
    func show(_ entry: LifeEntry)
    /// Time has passed; nanoseconds since the beginning.
    func tick(_ now: UInt64)
    func end(_ ending: LifeEnding)
    /// Reports that the task could not be launched; the error goes to standard error.
    func fail(_ error: CommandError, at time: UInt64)
}

/// Shows the life of a task in several ways at once.
final class LifeViews: LifeView {
    private let views: [any LifeView]

    init(_ views: [any LifeView]) { self.views = views }

    func begin(_ facts: LifeFacts) { for view in views { view.begin(facts) } }
    func show(_ entry: LifeEntry) { for view in views { view.show(entry) } }
    func tick(_ now: UInt64) { for view in views { view.tick(now) } }
    func end(_ ending: LifeEnding) { for view in views { view.end(ending) } }
    func fail(_ error: CommandError, at time: UInt64) {
        for view in views { view.fail(error, at: time) }
    }
}

/// The facts about a task before its launch.
struct LifeFacts {
    let handler: ManifestHandler
    let plugin: Manifest
    let directory: String
    /// The words of a program that is run in place of a plugin's handler.
    var program: [String]?
    /// Nanoseconds.
    let budget: UInt64
    let grace: UInt64
}

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

/// The end of a task, and its results.
struct LifeEnding {
    let outcome: Outcome
    /// Nanoseconds from its start, or from its launch when it never started.
    let duration: UInt64
    /// Since the program began with it.
    let time: UInt64
    /// The text of the done event.
    let error: String
    /// The handler's own message; nil if it gave none.
    let answer: String?
    /// Why it was told to stop, or nil.
    let reason: StopReason?
    /// After it was told to stop it answered within its grace.
    let isAnswered: Bool
    /// Its function has returned.
    let isReturned: Bool
    /// Says which code of the plugin has not returned, if any.
    let unreturned: String?
    let result: [UInt8]
    let code: ExitCode

    /// The result, where it is text.
    var resultText: String? { String(validating: result, as: UTF8.self) }
}
