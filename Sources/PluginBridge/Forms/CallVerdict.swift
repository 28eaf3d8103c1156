// SPDX-License-Identifier: Apache-2.0

/// The meaning of a `call`'s result for its task.
package enum CallVerdict: String, Hashable, Sendable, CaseIterable {
    /// Zero is success.
    case zero
    /// Anything but zero, false or a null pointer is success.
    case nonZero = "non-zero"
    /// The text `Done.` is success, any other is the error.
    case done
    /// A negative number or a null pointer is a failure, with the text of `errno`.
    case errno
    /// Every result is a success, and is the task's result; a null pointer is a failure.
    case value
    /// There is no result: the task has succeeded when the function returns.
    case none
}
