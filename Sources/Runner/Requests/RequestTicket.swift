// SPDX-License-Identifier: Apache-2.0
public import Scheduling

/// Which launch of which request a task is.
public struct RequestTicket: Hashable, Sendable {
    public let request: RequestID
    public let launch: UInt64

    public init(request: RequestID, launch: UInt64) {
        self.request = request
        self.launch = launch
    }
}
