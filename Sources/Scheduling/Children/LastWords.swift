// SPDX-License-Identifier: Apache-2.0

/// The record of the thread that ended a plugin's process.
///
/// The process writes it and may lie: the host uses it only to blame one of that plugin's tasks.
package struct LastWords: Equatable, Sendable {
    /// The part of the plugin that the thread executed.
    package enum Phase: UInt32, Sendable, CaseIterable {
        /// A thread that the plugin had started.
        case ownThread
        /// No code of the plugin, between two tasks.
        case idle
        case constructor
        case entry
        case function
        case callback
        case sub
        case retire
    }

    package let phase: Phase
    /// The task whose function or callback it was, by the id that the plugin knows.
    package let task: UInt64
    /// Its stack had overflowed.
    package let isOverflow: Bool
    /// The address whose access faulted, if the processor reported one.
    package let address: UInt64?

    package init(phase: Phase, task: UInt64, isOverflow: Bool = false, address: UInt64? = nil) {
        self.phase = phase
        self.task = task
        self.isOverflow = isOverflow
        self.address = address
    }

    /// For whom the place is named.
    package enum Reader: Equatable, Sendable {
        /// The task that ended the process, or any if it is not known.
        case task
        /// Another task of the process.
        case otherTask
        /// The log, with the handler whose task it was, if that is known.
        case log(handler: String?)
    }

    /// Where it was, as the end of a sentence about the process.
    package func place(for reader: Reader) -> String {
        func part(_ name: String) -> String {
            switch reader {
            case .task: "in its \(name)"
            case .otherTask: "in the \(name) of another task"
            case .log(let handler): "in the \(name) of \(handler ?? "a task")"
            }
        }
        return switch phase {
        case .ownThread: "in a thread that the plugin had started"
        case .idle: "between tasks"
        case .constructor: "in a constructor of its library"
        case .entry: "in its entry"
        case .function: part("function")
        case .callback: part("expiration callback")
        case .sub: "in a sub"
        case .retire: "in its retire function"
        }
    }
}
