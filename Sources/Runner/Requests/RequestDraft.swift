// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// A request that is to be submitted.
package struct RequestDraft: Sendable {
    package var description: RequestDescription
    package let payload: [UInt8]

    package init(_ description: RequestDescription, payload: [UInt8]) {
        self.description = description
        self.payload = payload
    }
}
