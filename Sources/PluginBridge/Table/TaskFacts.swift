// SPDX-License-Identifier: Apache-2.0

/// The facts that `task_info` returns to a plugin. The host owns the pointers, which are valid
/// until the task's last reference is released.
package struct TaskFacts {
    package var kind: Int32
    package var attempt: UInt32
    package var reason: Int32
    package var identifier: UnsafePointer<CChar>
    package var payload: UnsafeRawPointer?
    package var payloadBytes: UInt64
    package var budget: UInt64
    package var grace: UInt64

    package init(
        kind: Int32, attempt: UInt32, reason: Int32, identifier: UnsafePointer<CChar>,
        payload: UnsafeRawPointer?, payloadBytes: UInt64, budget: UInt64, grace: UInt64
    ) {
        self.kind = kind
        self.attempt = attempt
        self.reason = reason
        self.identifier = identifier
        self.payload = payload
        self.payloadBytes = payloadBytes
        self.budget = budget
        self.grace = grace
    }
}
