// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import CurfewPlugin
import Synchronization

@c @implementation
public func curfew_plugin_entry(
    _ api: UnsafePointer<curfew_host_api>, _ info: UnsafeMutablePointer<curfew_plugin_info>,
    _ error: UnsafeMutablePointer<curfew_error>
) -> curfew_status {
    Handler.table.store(UInt(bitPattern: api), ordering: .sequentiallyConsistent)
    return Plugin.register(
        ["org.curfew.violation.swift-throws-after-completing": Handler()], api, info, error)
}
