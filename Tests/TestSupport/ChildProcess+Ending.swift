// SPDX-License-Identifier: Apache-2.0

extension ChildProcess {
    /// How a program ended.
    package enum Ending: Hashable, Sendable {
        /// It exited with a status.
        case exited(Int32)
        /// A signal ended it.
        case signalled(Int32)
        /// Its time was up; its process group was killed.
        case timedOut
    }
}

extension ChildProcess: CustomStringConvertible {
    /// How it ended and what it wrote, shortened, for the message of a failed expectation.
    package var description: String {
        // The error is mostly at the end.
        let text = errorOutput + output
        return "\(ending)\n"
            + (text.count <= 8_000 ? text : "\(text.prefix(2_000))\n…\n\(text.suffix(6_000))")
    }
}
