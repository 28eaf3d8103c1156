// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// A task that a request has launched, and that is not over.
package struct RequestTask: Sendable {
    package let request: RequestID
    /// The number of the launch.
    package let launch: UInt64
    package let state: TaskState
    /// Nanoseconds since 1970 in UTC: when its function was called, and when its budget is used up; nil
    /// before that.
    package let startedAt: Int64?
    package let deadline: Int64?
}
