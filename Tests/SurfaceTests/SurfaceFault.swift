// SPDX-License-Identifier: Apache-2.0

/// Something that the surface of a module could not be read from.
struct SurfaceFault: Error, CustomStringConvertible {
    let text: String

    var description: String { text }
}
