// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// What stands for the registry where none could be made: handlers are taken in and never launched,
/// and everything else says why.
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
