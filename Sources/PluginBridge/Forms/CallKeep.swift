// SPDX-License-Identifier: Apache-2.0

/// The value of a `call` that is kept as the task's result. Arguments are counted from 0.
package enum CallKeep: Hashable, Sendable {
    /// The returned value: a number in decimal digits, `true` or `false`, or the text.
    case returned
    /// The value of an `out` argument, in the same form.
    case out(Int)
    /// The text in a buffer, up to the first NUL.
    case bufferText(Int)
    /// Bytes of a buffer; their number is an `out` argument, or the returned value (nil).
    case buffer(Int, length: Int?)
}
