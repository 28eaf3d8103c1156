// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A child process could not be started: no fault of a plugin's.
public struct ContainmentError: Error, Sendable, CustomStringConvertible {
    /// What is wrong: lower case, no full stop.
    public let description: String
    /// What to do next, if there is something to type.
    public let help: String?

    init(_ what: String, help: String? = nil) {
        description = what
        self.help = help
    }

    init(_ what: String, errno code: Int32) {
        self.init(
            "\(what): \(String(cString: strerror(code)))",
            help: code == EMFILE ? "ulimit -n 256" : nil)
    }
}
