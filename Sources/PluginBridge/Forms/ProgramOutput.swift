// SPDX-License-Identifier: Apache-2.0

/// Where a program's standard output and standard error go.
package enum ProgramOutput: Hashable, Sendable {
    /// Line by line into the host's log.
    case log
    /// Nowhere.
    case discard
    /// To the end of a file, by its absolute path.
    case file(String)

    /// Reads the form of `text`; nil if it is none.
    package init?(_ text: String) {
        switch text {
        case "log": self = .log
        case "discard": self = .discard
        case _ where text.utf8.first == UInt8(ascii: "/"): self = .file(text)
        default: return nil
        }
    }

    /// A word, or the path.
    package var text: String {
        switch self {
        case .log: "log"
        case .discard: "discard"
        case .file(let path): path
        }
    }
}
