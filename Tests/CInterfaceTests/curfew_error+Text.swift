// SPDX-License-Identifier: Apache-2.0
import CCurfew

extension curfew_error {
    static var empty: curfew_error {
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        return error
    }

    /// The message, up to its NUL.
    var text: String {
        withUnsafeBytes(of: message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
