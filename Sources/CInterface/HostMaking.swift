// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import Curfew
import PluginBridge
import Runner

@c @implementation public func curfew_host_create(
    _ config: UnsafePointer<curfew_host_config>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        guard let out else {
            throw BridgeError(
                .invalid,
                "out_host is NULL, and no host was created: pass the address of a curfew_host *, which curfew_host_destroy needs"
            )
        }
        let configuration = try HostConfiguration(config)
        do throws(CurfewError) {
            let host = try Host(configuration)
            out.pointee = OpaquePointer(Unmanaged.passRetained(host).toOpaque())
        } catch {
            throw BridgeError(error.code, error.message)
        }
    }
}

@c @implementation public func curfew_host_shutdown(
    _ host: OpaquePointer, _ options: UnsafePointer<curfew_shutdown_options>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    // Held meanwhile: another thread may destroy the host, and is done a moment earlier.
    let runtime = with(host) { (host: HostRuntime) in host }
    return answer(error) { () throws(BridgeError) in
        try runtime.shutDown(try ShutdownLimits(options))
    }
}

@c @implementation public func curfew_host_destroy(
    _ host: OpaquePointer?, _ options: UnsafePointer<curfew_shutdown_options>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard let host else { return Status.ok.rawValue }
    let runtime = with(host) { (host: HostRuntime) in host }
    let status = answer(error) { () throws(BridgeError) in
        try runtime.destroy(try ShutdownLimits(options))
    }
    if status != Status.wrongThread.rawValue, status != Status.invalid.rawValue {
        Unmanaged<Host>.fromOpaque(UnsafeRawPointer(host)).release()
    }
    return status
}

@c @implementation public func curfew_get_leaked_host_count() -> UInt32 { HostRuntime.leakedHosts }
