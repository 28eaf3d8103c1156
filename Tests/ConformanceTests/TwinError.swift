// SPDX-License-Identifier: Apache-2.0

/// The source of a twin does not say what it must.
struct TwinError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
