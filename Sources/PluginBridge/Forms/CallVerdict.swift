// SPDX-License-Identifier: Apache-2.0

/// What the result of a `call` says about its task.
public enum CallVerdict: String, Hashable, Sendable, CaseIterable {
    /// Zero is success.
    case zero
    /// Anything but zero, false or a null pointer is success.
    case nonZero = "non-zero"
    /// The text `Done.` is success, any other is the error.
    case done
    /// What is negative, or a null pointer, is a failure with the text of `errno`.
    case errno
    /// Whatever it is, it is the task's result; a null pointer is a failure.
    case value
    /// There is no result: the task has succeeded when the function returns.
    case none
}
