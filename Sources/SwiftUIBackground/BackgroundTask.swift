// SPDX-License-Identifier: Apache-2.0

/// A kind of background tasks, for `Scene.backgroundTask`.
public struct BackgroundTask<Request, Response> {
    let identifier: String
    let request: Request
}

extension BackgroundTask: Sendable where Request: Sendable, Response: Sendable {}

extension BackgroundTask {
    /// Refreshes that were requested with a `BGAppRefreshTaskRequest` of an identifier.
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask<Void, Void>(identifier: identifier, request: ())
    }
}
