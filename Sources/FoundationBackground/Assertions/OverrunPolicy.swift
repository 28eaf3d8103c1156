// SPDX-License-Identifier: Apache-2.0

/// The effect on an app that keeps an assertion when its background time is over.
public enum OverrunPolicy: Sendable {
    /// Logs it, with the effect that it has on iOS.
    case report
    /// The process stops, by SIGABRT, with the same words.
    case stop
}
