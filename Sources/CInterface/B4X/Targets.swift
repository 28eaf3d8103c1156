// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner
import Scheduling

/// Returns the target with a number.
func target(
    _ host: OpaquePointer, _ number: curfew_target
) throws(BridgeError) -> EventTarget {
    guard let target = with(host, { (host: HostRuntime) in host.targets[number] }) else {
        throw BridgeError(
            .notFound, "no target has the number \(number); it was closed, or never made")
    }
    return target
}

func read(
    _ values: UnsafePointer<curfew_value>?, _ count: UInt32
) throws(BridgeError) -> [EventValue] {
    guard let values = ValueReader.read(values, count: Int(count)) else {
        throw BridgeError(.invalid, notValues(count))
    }
    return values
}

private func give(
    _ value: EventValue?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?,
    _ selector: String
) {
    out?.pointee = value.map { EventCopy.make(selector, [$0]) }
}

// MARK: Life cycle

@c @implementation public func curfew_target_create(
    _ host: OpaquePointer, _ name: UnsafePointer<CChar>,
    _ options: UnsafePointer<curfew_target_options>?, _ out: UnsafeMutablePointer<curfew_target>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if isNull(out) { return refuseNull(error, "out_target") }
    return answer(error) { () throws(BridgeError) in
        let name = try needed(name, "the target's name")
        let options = try EventTarget.Options(options)
        let runtime = with(host) { (host: HostRuntime) in host }
        out.pointee = try runtime.targets.make(name, options).number
    }
}

extension EventTarget.Options {
    /// Reads `curfew_target_options` of any version.
    fileprivate init(_ options: UnsafePointer<curfew_target_options>?) throws(BridgeError) {
        self.init()
        guard let options else { return }
        guard let copy = StructCopy.read(options, least: 8, zero: curfew_target_options()),
            let kind = [Int(copy.kind)].first(where: {
                $0 == CURFEW_TARGET_MODULE || $0 == CURFEW_TARGET_CLASS
            })
        else {
            throw BridgeError(
                .invalid,
                "curfew_target_options: its struct_size is not sizeof(curfew_target_options), or its kind is none"
            )
        }
        self.kind = kind == CURFEW_TARGET_CLASS ? .classInstance : .module
        takesHostEvents = copy.takes_host_events
        guard let function = copy.unhandled else { return }
        nonisolated(unsafe) let data = copy.target_data
        untaken = { event, isPaused in RaisedEvent.with(event) { function(data, $0, isPaused) } }
    }
}

@c @implementation public func curfew_target_close(
    _ host: OpaquePointer, _ number: curfew_target, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in try target(host, number).close() }
}

private let closing = BridgeError(.closing, "the host is shutting down")

@c @implementation public func curfew_target_pause(
    _ host: OpaquePointer, _ number: curfew_target, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        guard try target(host, number).pause() else { throw closing }
    }
}

@c @implementation public func curfew_target_resume(
    _ host: OpaquePointer, _ number: curfew_target, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        guard try target(host, number).resume() else { throw closing }
    }
}

@c @implementation public func curfew_target_get_counts(
    _ host: OpaquePointer, _ number: curfew_target,
    _ out: UnsafeMutablePointer<curfew_target_counts>, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard hasRoom(out, 8) else { return refuseSize(error, out, "out_counts") }
    return answer(error) { () throws(BridgeError) in
        let counts = try target(host, number).counts
        let size = sizeOf(out)
        StructCopy.write(
            curfew_target_counts(
                struct_size: size, reserved: 0, called: counts.called, resumed: counts.resumed,
                unhandled: counts.untaken, paused: counts.paused, failed: counts.failed),
            to: out, size: size)
    }
}

// MARK: Subs

@c @implementation public func curfew_target_add_sub(
    _ host: OpaquePointer, _ number: curfew_target, _ selector: UnsafePointer<CChar>,
    _ function: @escaping curfew_target_sub_function, _ data: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard isFunction(unsafeBitCast(function, to: UInt.self)) else {
        return refuseNull(error, "function")
    }
    let sub = ForeignSub(function: function, data: data)
    return answer(error) { () throws(BridgeError) in
        try target(host, number).add(
            try needed(selector, "the selector", limit: EventSelector.textLimit)
        ) { try sub.call($0) }
    }
}

@c @implementation public func curfew_target_has_sub(
    _ host: OpaquePointer, _ number: curfew_target, _ name: UnsafePointer<CChar>,
    _ parameters: UInt32
) -> Bool {
    guard let name = ForeignText.read(name, limit: ForeignText.name),
        let target = try? target(host, number)
    else { return false }
    return target.subExists(name, parameters: Int(parameters))
}

@c @implementation public func curfew_target_raise(
    _ host: OpaquePointer, _ number: curfew_target, _ selector: UnsafePointer<CChar>,
    _ values: UnsafePointer<curfew_value>?, _ count: UInt32, _ sender: UnsafeRawPointer?,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    out?.pointee = nil
    return SubFailure.answer(error) {
        let selector = try needed(selector, "the selector", limit: EventSelector.textLimit)
        let value = try target(host, number).raise(
            selector, try read(values, count), from: sender.map { .address(UInt(bitPattern: $0)) })
        give(value, out, selector)
    }
}

@c @implementation public func curfew_target_post(
    _ host: OpaquePointer, _ number: curfew_target, _ selector: UnsafePointer<CChar>,
    _ values: UnsafePointer<curfew_value>?, _ count: UInt32, _ sender: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        try target(host, number).post(
            try needed(selector, "the selector", limit: EventSelector.textLimit),
            try read(values, count),
            from: sender.map { .address(UInt(bitPattern: $0)) })
    }
}

@c @implementation public func curfew_target_call(
    _ host: OpaquePointer, _ number: curfew_target, _ name: UnsafePointer<CChar>,
    _ values: UnsafePointer<curfew_value>?, _ count: UInt32,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    out?.pointee = nil
    return SubFailure.answer(error) {
        let name = try needed(name, "the sub's name")
        let value = try target(host, number).call(name, try read(values, count))
        give(value, out, name)
    }
}

@c @implementation public func curfew_target_call_delayed(
    _ host: OpaquePointer, _ number: curfew_target, _ name: UnsafePointer<CChar>,
    _ values: UnsafePointer<curfew_value>?, _ count: UInt32,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(error) { () throws(BridgeError) in
        try target(host, number).callDelayed(
            try needed(name, "the sub's name"), try read(values, count))
    }
}

@c @implementation public func curfew_target_get_sender(
    _ host: OpaquePointer, _ number: curfew_target
) -> UnsafeRawPointer? {
    RaisedEvent.address((try? target(host, number))?.sender)
}
