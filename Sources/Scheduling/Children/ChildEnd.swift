// SPDX-License-Identifier: Apache-2.0

/// How a plugin's process has ended.
package enum ChildEnd: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// It could not be started, for this reason.
    case notStarted(String)
    /// Its supervisor has ended, so that it is not known.
    case lost

    /// The end as the rest of a sentence about a process.
    ///
    /// - Parameter name: returns the name of a signal.
    package func text(signal name: (Int32) -> String) -> String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .signalled(let signal): "ended by \(name(signal))"
        case .notStarted(let reason): "could not be started: \(reason)"
        case .lost: "ended with its supervisor"
        }
    }
}
