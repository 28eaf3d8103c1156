// SPDX-License-Identifier: Apache-2.0

/// The facts that `task_info` returns to a plugin. The host owns the pointers, which are valid
/// until the task's last reference is released.
public struct TaskFacts {
    public var kind: Int32
    public var attempt: UInt32
    public var reason: Int32
    public var identifier: UnsafePointer<CChar>
    public var payload: UnsafeRawPointer?
    public var payloadBytes: UInt64
    public var budget: UInt64
    public var grace: UInt64

    public init(
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
