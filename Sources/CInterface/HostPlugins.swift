// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner
import Scheduling

@c @implementation public func curfew_host_scan_plugins(
    _ host: OpaquePointer, _ directory: UnsafePointer<CChar>,
    _ found: UnsafeMutablePointer<UInt32>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        let path = try needed(directory, "directory", limit: ForeignText.path)
        let runtime = with(host) { (host: HostRuntime) in host }
        // Two statements: if `found` is NULL, optional chaining would not evaluate the right side.
        let count = try runtime.plugins.scan(path)
        found?.pointee = UInt32(count)
    }
}

@c @implementation public func curfew_host_discover_plugins(
    _ host: OpaquePointer, _ found: UnsafeMutablePointer<UInt32>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        let runtime = with(host) { (host: HostRuntime) in host }
        let count = try runtime.plugins.discover()
        found?.pointee = UInt32(count)
    }
}

@c @implementation public func curfew_host_load_plugin(
    _ host: OpaquePointer, _ directory: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        let path = try needed(directory, "directory", limit: ForeignText.path)
        let runtime = with(host) { (host: HostRuntime) in host }
        try runtime.plugins.load(path)
    }
}

@c @implementation public func curfew_host_load_all(
    _ host: OpaquePointer, _ directory: UnsafePointer<CChar>?,
    _ loaded: UnsafeMutablePointer<UInt32>?, _ failed: UnsafeMutablePointer<UInt32>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        let path = try directory.map { start throws(BridgeError) in
            try needed(start, "directory", limit: ForeignText.path)
        }
        let runtime = with(host) { (host: HostRuntime) in host }
        let counts = try runtime.plugins.loadAll(path)
        loaded?.pointee = UInt32(counts.loaded)
        failed?.pointee = UInt32(counts.failed.count)
    }
}

@c @implementation public func curfew_host_register_handler(
    _ host: OpaquePointer, _ handler: UnsafePointer<curfew_handler>,
    _ options: UnsafePointer<curfew_handler_options>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if isNull(handler) { return refuseNull(error, "handler") }
    return answer(error) { () throws(BridgeError) in
        guard let copy = HandlerReader.read(handler), let identifier = copy.identifier,
            let run = copy.run
        else {
            throw BridgeError(
                .invalid,
                "curfew_handler needs a struct_size of sizeof(curfew_handler), an identifier and run"
            )
        }
        let description = try HandlerDescription(
            try needed(identifier, "curfew_handler.identifier"), options)
        let runtime = with(host) { (host: HostRuntime) in host }
        _ = try runtime.plugins.register(
            description, run: run, expired: copy.expired, data: copy.handler_data)
    }
}

@c @implementation public func curfew_host_get_api(
    _ host: OpaquePointer
) -> UnsafePointer<curfew_host_api> {
    with(host) { (host: HostRuntime) in host.plugins.table }
}

@c @implementation public func curfew_host_get_plugin_count(_ host: OpaquePointer) -> UInt32 {
    with(host) { (host: HostRuntime) in UInt32(host.plugins.all.count) }
}

@c @implementation public func curfew_host_get_plugin(
    _ host: OpaquePointer, _ index: UInt32, _ out: UnsafeMutablePointer<curfew_plugin_state>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard hasRoom(out, 8) else { return refuseSize(error, out, "out_state") }
    return with(host) { (host: HostRuntime) in
        let plugins = host.plugins.all
        guard index < plugins.count else {
            return answer(error, .notFound, "no plugin has the index \(index)")
        }
        let plugin = plugins[Int(index)]
        let size = sizeOf(out)
        let code = host.plugins.code(of: plugin)
        let process = code.process
        let state = curfew_plugin_state(
            struct_size: size, phase: host.plugins.status(of: plugin).status.rawValue,
            id: plugin.idText,
            version: plugin.versionText, directory: plugin.directoryText,
            reason: host.plugins.reasonText(of: plugin), handlers: plugin.handlers,
            isolation: code.isolation?.rawValue ?? 0, process: process?.id ?? 0,
            starts: process?.starts ?? 0,
            last_end: host.plugins.text(process?.lastEnd ?? "", of: plugin),
            not_in_force: host.plugins.text(
                process?.notInForce.joined(separator: "; ") ?? "", of: plugin))
        StructCopy.write(state, to: out, size: size)
        return Status.ok.rawValue
    }
}

@c @implementation public func curfew_host_get_handler_count(_ host: OpaquePointer) -> UInt32 {
    with(host) { (host: HostRuntime) in UInt32(host.engine.handlers.all.count) }
}

@c @implementation public func curfew_host_get_handler(
    _ host: OpaquePointer, _ index: UInt32, _ out: UnsafeMutablePointer<curfew_handler_state>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard hasRoom(out, 8) else { return refuseSize(error, out, "out_state") }
    return with(host) { (host: HostRuntime) in
        guard let handler = host.engine.handlers.find(index) else {
            return answer(error, .notFound, "no handler has the index \(index)")
        }
        let size = sizeOf(out)
        let state = curfew_handler_state(
            struct_size: size, kind: handler.description.kind.rawValue,
            identifier: handler.identifierText, plugin: handler.pluginText,
            event: handler.eventText, budget_ns: handler.description.budget,
            grace_ns: handler.description.grace,
            max_concurrency: handler.description.maxConcurrency,
            queued: UInt32(clamping: handler.queued), active: handler.active, lost: handler.lost,
            paused: handler.isPaused, quarantined: handler.isQuarantined,
            reserved: (0, 0, 0, 0, 0, 0), quarantine_reason: handler.quarantineText,
            launched: handler.launched, ended: outcomeCounts(handler.ended))
        StructCopy.write(state, to: out, size: size)
        return Status.ok.rawValue
    }
}

@c @implementation public func curfew_host_find_handler(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>, _ out: UnsafeMutablePointer<UInt32>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if isNull(identifier) { return refuseNull(error, "identifier") }
    if isNull(out) { return refuseNull(error, "out_index") }
    return with(host) { (host: HostRuntime) in
        guard let index = host.engine.handlers.index(of: identifier) else {
            return answer(error, .notFound, noHandler(identifier))
        }
        out.pointee = index
        return Status.ok.rawValue
    }
}

func noHandler(_ identifier: UnsafePointer<CChar>) -> String {
    "no handler is registered for \"\(ForeignText.shown(identifier, limit: ForeignText.name) ?? "")\"; load its plugin first"
}

@c @implementation public func curfew_host_pause_handler(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    ofHandlers(identifier, error) { name in
        with(host) { (host: HostRuntime) in host.engine.pause(name) }
    }
}

@c @implementation public func curfew_host_resume_handler(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    ofHandlers(identifier, error) { name in
        with(host) { (host: HostRuntime) in host.engine.resume(name) }
    }
}

/// Applies a function to one handler, or for NULL to all. A name that cannot be read is not found.
private func ofHandlers(
    _ identifier: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<curfew_error>?,
    _ body: (String?) -> Status
) -> curfew_status {
    guard let identifier else { return body(nil).rawValue }
    let name = ForeignText.read(identifier, limit: ForeignText.name)
    return answer(error, name.map(body) ?? .notFound, noHandler(identifier))
}

@c @implementation public func curfew_host_release_handler(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if isNull(identifier) { return refuseNull(error, "identifier") }
    let name = ForeignText.read(identifier, limit: ForeignText.name)
    let status = name.map { name in with(host) { (host: HostRuntime) in host.plugins.release(name) }
    }
    return answer(error, status ?? .notFound, noHandler(identifier))
}
