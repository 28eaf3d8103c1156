// SPDX-License-Identifier: Apache-2.0

/// The first request of a queue: the one with the earliest date, and of several the oldest.
package struct RequestHead: Hashable, Sendable {
    /// The number of the request.
    package let id: RequestID
    /// The date from which it may be launched.
    package let notBefore: Int64

    package init(id: RequestID, notBefore: Int64) {
        self.id = id
        self.notBefore = notBefore
    }

    package func isBefore(_ other: RequestHead) -> Bool {
        (notBefore, id) < (other.notBefore, other.id)
    }
}
