// SPDX-License-Identifier: Apache-2.0

/// The first bytes of a record about a function that has returned; the message of its error follows, as
/// the plugin wrote it, without a NUL.
package struct ReturnedHead {
    package var status: Int32
    package var handler: UInt16
    private let unused: UInt16 = 0
    /// The place of the task in the order of all that were offered to the handler.
    package var position: UInt64
    /// Processor time of the function in nanoseconds, if the task is a request's.
    package var processorTime: UInt64

    package init(
        status: Status, handler: Int, position: UInt64, processorTime: UInt64
    ) {
        self.status = status.rawValue
        self.handler = UInt16(truncatingIfNeeded: handler)
        self.position = position
        self.processorTime = processorTime
    }
}

/// The first bytes of a record about a completed task; the text of the error and the result follow.
package struct CompletedHead {
    package var status: Int32
    package var hasError: UInt32
    package var errorBytes: UInt64
    /// Of the function, if that completes its own task.
    package var processorTime: UInt64

    package init(status: Status, hasError: Bool, errorBytes: Int, processorTime: UInt64) {
        self.status = status.rawValue
        self.hasError = hasError ? 1 : 0
        self.errorBytes = UInt64(errorBytes)
        self.processorTime = processorTime
    }
}

/// The first bytes of a record about an order that was carried out; a message may follow.
package struct DoneHead {
    package var token: UInt64

    package init(token: UInt64) { self.token = token }
}
