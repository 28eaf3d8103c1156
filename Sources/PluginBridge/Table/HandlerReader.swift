// SPDX-License-Identifier: Apache-2.0
package import CCurfew

/// Reads a `curfew_handler` of any version.
package enum HandlerReader {
    /// Up to and with `run`, which every version has.
    private static let least = 32

    /// The host's copy, or nil when `struct_size` is out of range.
    package static func read(_ handler: UnsafePointer<curfew_handler>) -> curfew_handler? {
        StructCopy.read(handler, least: least, zero: curfew_handler())
    }
}
