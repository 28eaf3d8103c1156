// SPDX-License-Identifier: Apache-2.0

/// The effect on an app that keeps an assertion when its background time is over.
public enum OverrunPolicy: Sendable {
    /// It is said in the log, with what Apple's system would do.
    case report
    /// The process stops, by SIGABRT, with the same words.
    case stop
}
