// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A program could not be started.
package struct ChildProcessError: Error, CustomStringConvertible {
    /// The program, as it was asked for.
    package let program: String
    /// The `errno` of the attempt.
    package let code: Int32

    /// Says which program and why.
    package var description: String {
        "\(program) could not be started: \(String(cString: strerror(code)))"
    }
}
