// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// The request and the launch that a task belongs to.
package struct RequestTicket: Hashable, Sendable {
    package let request: RequestID
    package let launch: UInt64

    package init(request: RequestID, launch: UInt64) {
        self.request = request
        self.launch = launch
    }
}
