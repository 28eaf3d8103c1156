// SPDX-License-Identifier: Apache-2.0

/// A page of error codes does not have the form that ``FaultPage`` reads.
struct FaultPageError: Error, Equatable, CustomStringConvertible {
    /// The line, from 1.
    let line: Int
    let reason: String

    var description: String { "line \(line): \(reason)" }
}
