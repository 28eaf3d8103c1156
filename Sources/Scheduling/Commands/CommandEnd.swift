// SPDX-License-Identifier: Apache-2.0

/// The way in which a program ended.
package enum CommandEnd: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// The kernel has killed it, since its control group had more memory than it may.
    case outOfMemory
    /// It was not started, with the reason.
    case notStarted(String)
    /// Its supervisor was killed, and it with that.
    case lost

    /// The end as it is said of a program: "exited with status 3".
    ///
    /// - Parameter signalName: returns the name of a signal's number.
    package func text(_ signalName: (Int32) -> String) -> String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .signalled(let signal): "was ended by \(signalName(signal))"
        case .outOfMemory: "was killed by the kernel: it had more memory than it may"
        case .notStarted(let reason): reason
        case .lost: "was killed together with its supervisor"
        }
    }
}
