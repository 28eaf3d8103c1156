// SPDX-License-Identifier: Apache-2.0

/// The first request of a queue: the one with the earliest date, and of several the oldest.
public struct RequestHead: Hashable, Sendable {
    public let id: RequestID
    public let notBefore: Int64

    public init(id: RequestID, notBefore: Int64) {
        self.id = id
        self.notBefore = notBefore
    }
}
