// SPDX-License-Identifier: Apache-2.0

/// The effect of a misuse.
public enum MisusePolicy: Sendable {
    /// The process stops with Apple's text, by SIGABRT.
    case stop
    /// Functions that throw, throw `Misuse`; the others log it, and do nothing.
    case throwError
}
