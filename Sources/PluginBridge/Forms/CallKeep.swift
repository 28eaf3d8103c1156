// SPDX-License-Identifier: Apache-2.0

/// What of a `call` is kept as the task's result. Arguments are counted from 0.
public enum CallKeep: Hashable, Sendable {
    /// What it returned: a number in decimal digits, `true` or `false`, or the text.
    case returned
    /// What it wrote to an `out` argument, in the same way.
    case out(Int)
    /// What it wrote to a buffer, up to the first NUL.
    case bufferText(Int)
    /// So many bytes of a buffer as it wrote to an `out` argument, or returned (nil).
    case buffer(Int, length: Int?)
}
