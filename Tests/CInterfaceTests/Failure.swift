// SPDX-License-Identifier: Apache-2.0

/// A step of a test's preparation that did not work.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
