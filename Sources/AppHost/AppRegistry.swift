// SPDX-License-Identifier: Apache-2.0
package import CCurfew

/// The process's one registry of handlers and requests: the app's own host, or the host that loads
/// this plugin. All functions may be called from any thread.
package protocol AppRegistry: Sendable {
    /// Registers a handler; its functions and its data stay for the life of the process.
    func register(_ handler: curfew_handler, kind: Int32) throws(AppRegistryFailure)

    /// Submits a request, in place of a pending one of its identifier. Returns once it is durable.
    func submit(_ request: AppRequest) throws(AppRegistryFailure)

    /// Cancels the pending requests of an identifier, or with nil all of them.
    func cancel(_ identifier: String?) throws(AppRegistryFailure)

    /// The requests that are pending, in the order of submission.
    func pending() throws(AppRegistryFailure) -> [AppRequest]

    /// The factors that would hold such a request back, by their constants `CURFEW_FACTOR_…`.
    func holding(_ request: AppRequest) throws(AppRegistryFailure) -> Set<Int32>

    func simulateLaunch(_ identifier: String) throws(AppRegistryFailure)
    func simulateExpiration(_ identifier: String) throws(AppRegistryFailure)

    /// Tells a running task to stop, as one whose time is up.
    func stop(_ task: UInt64) throws(AppRegistryFailure)
}
