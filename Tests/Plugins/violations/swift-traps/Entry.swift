// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import CurfewPlugin

@c @implementation
public func curfew_plugin_entry(
    _ api: UnsafePointer<curfew_host_api>, _ info: UnsafeMutablePointer<curfew_plugin_info>,
    _ error: UnsafeMutablePointer<curfew_error>
) -> curfew_status {
    Plugin.register(["org.curfew.violation.swift-traps": Handler()], api, info, error)
}
