// SPDX-License-Identifier: Apache-2.0

/// A request to launch the app for a short while, to refresh what it shows: 30 s.
open class BGAppRefreshTaskRequest: BGTaskRequest, @unchecked Sendable {
    /// Makes a request for the handler that is registered under an identifier.
    public init(identifier: String) { super.init(identifier) }

    override func duplicate() -> BGTaskRequest {
        let copy = BGAppRefreshTaskRequest(identifier: identifier)
        copy.earliestBeginDate = earliestBeginDate
        return copy
    }
}
