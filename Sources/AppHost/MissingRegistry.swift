// SPDX-License-Identifier: Apache-2.0
import CCurfew

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
