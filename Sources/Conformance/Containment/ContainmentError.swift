// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A child process could not be started: no fault of a plugin's.
package struct ContainmentError: Error, Sendable, CustomStringConvertible {
    /// The fault: lower case, no full stop.
    package let description: String
    /// A command to type next, if there is one.
    package let help: String?

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
