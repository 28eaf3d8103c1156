// SPDX-License-Identifier: Apache-2.0

/// The phase of a task between its launch and its end.
public enum TaskPhase: Int32, Sendable, KebabCased {
    /// Waiting for its turn.
    case queued = 1
    /// Queued, and paused.
    case held = 2
    /// Inside its function.
    case running = 3
    /// Its function has returned; it completes later.
    case pending = 4
    /// Stopped, and not completed yet.
    case stopping = 5
    /// Over: it has an outcome.
    case over = 6
}
