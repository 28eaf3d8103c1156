// SPDX-License-Identifier: Apache-2.0

/// Why a test cannot go on, in words.
struct Fault: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
