// SPDX-License-Identifier: Apache-2.0
package import CCurfew

/// The registry of handlers and requests in this process: the app's own host, or the host that
/// loads this plugin. All functions may be called from any thread.
package protocol AppRegistry: Sendable {
    /// Registers a handler; its functions and its data must stay valid for the life of the process.
    func register(_ handler: curfew_handler, kind: Int32) throws(AppRegistryFailure)

    /// Submits a request, which replaces a pending one of its identifier. Returns once it is
    /// durable.
    func submit(_ request: AppRequest) throws(AppRegistryFailure)

    /// Cancels the pending requests of an identifier; nil cancels all of them.
    func cancel(_ identifier: String?) throws(AppRegistryFailure)

    /// Returns the pending requests, in the order of submission.
    func pending() throws(AppRegistryFailure) -> [AppRequest]

    /// Returns the factors that would delay such a request, as constants `CURFEW_FACTOR_…`.
    func holding(_ request: AppRequest) throws(AppRegistryFailure) -> Set<Int32>

    func simulateLaunch(_ identifier: String) throws(AppRegistryFailure)
    func simulateExpiration(_ identifier: String) throws(AppRegistryFailure)

    /// Stops a running task with the reason `CURFEW_REASON_HOST`, as if its time were up.
    func stop(_ task: UInt64) throws(AppRegistryFailure)
}

/// An error of the host.
package struct AppRegistryFailure: Error {
    /// One of the constants `CURFEW_…`.
    package let status: Int32
    package let message: String

    package init(_ status: Int32, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// Replaces the registry if none could be created: it accepts handlers and never launches them, and
/// every other function throws the reason.
struct MissingRegistry: AppRegistry {
    let failure: AppRegistryFailure

    func register(_ handler: curfew_handler, kind: Int32) throws(AppRegistryFailure) {}
    func submit(_ request: AppRequest) throws(AppRegistryFailure) { throw failure }
    func cancel(_ identifier: String?) throws(AppRegistryFailure) { throw failure }
    func pending() throws(AppRegistryFailure) -> [AppRequest] { throw failure }
    func holding(_ request: AppRequest) throws(AppRegistryFailure) -> Set<Int32> { throw failure }
    func simulateLaunch(_ identifier: String) throws(AppRegistryFailure) { throw failure }
    func simulateExpiration(_ identifier: String) throws(AppRegistryFailure) { throw failure }
    func stop(_ task: UInt64) throws(AppRegistryFailure) { throw failure }
}
