// SPDX-License-Identifier: Apache-2.0

/// The task that ended a plugin's process.
package enum Blame: Equatable, Sendable {
    /// One of them, or one that was over already.
    case task(UInt64)
    /// It is not known.
    case unknown
    /// The supervisor ended, and the process with it. A task can end its supervisor only where there is
    /// neither a pid namespace nor a signal scope.
    case outside

    /// - Parameters:
    ///   - words: the record of the thread that ended it.
    ///   - running: the tasks whose functions ran.
    ///   - pending: those whose functions had returned.
    ///   - isLost: its supervisor has ended, and nothing is known of the process.
    package init(
        _ words: LastWords?, running: [UInt64], pending: [UInt64], isLost: Bool = false
    ) {
        guard !isLost else {
            self = .outside
            return
        }
        switch words?.phase {
        case .function, .callback: self = .task(words!.task)
        default:
            let candidates = running.isEmpty ? pending : running
            self = candidates.count == 1 ? .task(candidates[0]) : .unknown
        }
    }

    /// Returns whether another task is to blame, or no task. Where it is not known none is innocent, and yet no request
    /// uses an attempt: each is launched alone next, so that the one which does it again is known.
    package func isInnocent(_ task: UInt64) -> Bool {
        switch self {
        case .task(let culprit): task != culprit
        case .unknown: false
        case .outside: true
        }
    }
}
