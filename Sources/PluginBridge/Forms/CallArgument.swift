// SPDX-License-Identifier: Apache-2.0

/// The argument for one parameter of a `call`; it fits the parameter's type.
package enum CallArgument: Hashable, Sendable {
    /// A whole number or a truth value, sign-extended to 64 bits.
    case integer(UInt64)
    case number(Double)
    case text(String)
    case bytes([UInt8])
    /// A null pointer.
    case null
    /// The task's payload: as a C string, as bytes, or read as a number or truth value.
    case payload
    /// The number of bytes of another argument, counted from 0: a text without its NUL, bytes, or
    /// the capacity of a buffer.
    case length(of: Int)
    /// A variable that the function writes to, with its initial value.
    case out(UInt64)
    /// A buffer of that many zero bytes.
    case buffer(Int)
}
