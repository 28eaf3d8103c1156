// SPDX-License-Identifier: Apache-2.0

/// An error of the app for which Apple's system raises an exception: it submitted a request before
/// it registered the handler, registered an identifier twice, ….
///
/// By default it stops the process with Apple's text, like an uncaught exception on iOS. With
/// `AppHost.Configuration.misuse` set to `.throwError` it is thrown instead.
public struct Misuse: Error, Equatable, CustomStringConvertible {
    /// The name of Apple's exception.
    public let name: String
    /// Its reason, in Apple's words.
    public let reason: String

    package init(_ reason: String, name: String = "NSInternalInconsistencyException") {
        self.name = name
        self.reason = reason
    }

    /// The reason.
    public var description: String { reason }

    /// The text on stderr when the process stops because of it.
    var lastWords: String {
        "*** Terminating app due to uncaught exception '\(name)', reason: '\(reason)'\n"
    }
}

/// The effect of a misuse.
public enum MisusePolicy: Sendable {
    /// The process stops with Apple's text, by SIGABRT.
    case stop
    /// Functions that throw, throw `Misuse`; the others log it, and do nothing.
    case throwError
}
