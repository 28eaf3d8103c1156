// SPDX-License-Identifier: Apache-2.0

/// What an app did that Apple's system answers with an exception: a request was submitted before its
/// handler was registered, an identifier was registered twice, ….
///
/// By default it stops the process with Apple's text, as an uncaught exception does there. With
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

    /// What stands on stderr when the process stops because of it.
    var lastWords: String {
        "*** Terminating app due to uncaught exception '\(name)', reason: '\(reason)'\n"
    }
}
