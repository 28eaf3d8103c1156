// SPDX-License-Identifier: Apache-2.0

/// The first request of a queue: the one with the earliest date, and of several the oldest.
public struct RequestHead: Hashable, Sendable {
    /// Its number.
    public let id: RequestID
    /// When it may be launched.
    public let notBefore: Int64

    /// Makes one of what it is given.
    public init(id: RequestID, notBefore: Int64) {
        self.id = id
        self.notBefore = notBefore
    }
}
