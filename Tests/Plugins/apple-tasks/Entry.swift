// SPDX-License-Identifier: Apache-2.0
import AppHost
public import CCurfew
import CurfewPlugin

@c @implementation
public func curfew_plugin_entry(
    _ api: UnsafePointer<curfew_host_api>, _ info: UnsafeMutablePointer<curfew_plugin_info>,
    _ error: UnsafeMutablePointer<curfew_error>
) -> curfew_status {
    AppHost.enter(api, error) { try Refresher.shared.registerLaunchHandlers() }
}
