// SPDX-License-Identifier: Apache-2.0

/// The first request of a queue: the one with the earliest date, and of several the oldest.
package struct RequestHead: Hashable, Sendable {
    /// Its number.
    package let id: RequestID
    /// When it may be launched.
    package let notBefore: Int64

    /// Makes one of what it is given.
    package init(id: RequestID, notBefore: Int64) {
        self.id = id
        self.notBefore = notBefore
    }
}
