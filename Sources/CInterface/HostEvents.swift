// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner
import Scheduling

@c @implementation public func curfew_host_subscribe(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>,
    _ function: @escaping curfew_any_function,
    _ out: UnsafeMutablePointer<curfew_subscription>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard isFunction(unsafeBitCast(function, to: UInt.self)) else {
        return answer(error, .invalid, "the function to subscribe is NULL")
    }
    guard let parsed = parse(selector) else {
        return answer(error, .invalid, notASelector(selector))
    }
    return subscribe(host, parsed, .typed(function), out, error)
}

@c @implementation public func curfew_host_observe(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>?,
    _ function: @escaping curfew_event_function, _ data: UnsafeMutableRawPointer?,
    _ out: UnsafeMutablePointer<curfew_subscription>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard isFunction(unsafeBitCast(function, to: UInt.self)) else {
        return answer(error, .invalid, "the function to observe with is NULL")
    }
    guard let selector else {
        return subscribe(host, nil, .generic(function, data), out, error)
    }
    guard let parsed = parse(selector) else {
        return answer(error, .invalid, notASelector(selector))
    }
    return subscribe(host, parsed, .generic(function, data), out, error)
}

/// False for the NULL that C can pass; a comparison with nil would be folded away, since the type
/// says that it cannot be.
@inline(never) private func isFunction(_ bits: UInt) -> Bool { bits != 0 }

private func parse(_ selector: UnsafePointer<CChar>) -> EventSelector? {
    ForeignText.read(selector, limit: EventSelector.textLimit).flatMap(EventSelector.init)
}

private func notASelector(_ text: UnsafePointer<CChar>) -> String {
    "\"\(ForeignText.shown(text, limit: EventSelector.textLimit) ?? "")\" is not a selector: a lower-case name and one colon per parameter, such as tidy_done::"
}

private func subscribe(
    _ host: OpaquePointer, _ selector: EventSelector?, _ receiver: EventReceiver,
    _ out: UnsafeMutablePointer<curfew_subscription>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    switch with(host, { (host: HostRuntime) in host.loop.subscribe(selector, receiver) }) {
    case .success(let number):
        out?.pointee = number
        return Status.ok.rawValue
    case .failure(let failure):
        ErrorBuffer.fill(error, failure.status, failure.message)
        return failure.status.rawValue
    }
}

@c @implementation public func curfew_host_unsubscribe(
    _ host: OpaquePointer, _ subscription: curfew_subscription
) -> curfew_status {
    with(host) { (host: HostRuntime) in host.loop.unsubscribe(subscription).rawValue }
}

@c @implementation public func curfew_host_expect_event(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>, _ task: curfew_task,
    _ context: UnsafeRawPointer?, _ out: UnsafeMutablePointer<curfew_subscription>
) -> curfew_status {
    guard let parsed = parse(selector) else { return Status.invalid.rawValue }
    return with(host) { (host: HostRuntime) in
        switch host.loop.expect(parsed, task: task, context: UInt(bitPattern: context)) {
        case .success(let expectation):
            out.pointee = expectation.number
            return Status.ok.rawValue
        case .failure(let failure): return failure.status.rawValue
        }
    }
}

@c @implementation public func curfew_host_collect_event(
    _ host: OpaquePointer, _ expectation: curfew_subscription, _ timeout: UInt64,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?
) -> curfew_status {
    // Held while it waits: a shutdown wakes it, and the host may be gone before it has left.
    collect(with(host) { (host: HostRuntime) in host }, expectation, timeout, out)
}

private func collect(
    _ runtime: HostRuntime, _ expectation: curfew_subscription, _ timeout: UInt64,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?
) -> curfew_status {
    switch runtime.loop.collect(expectation, timeout: timeout) {
    case .success(let event):
        out?.pointee = EventCopy.make(event)
        return Status.ok.rawValue
    case .failure(let failure): return failure.status.rawValue
    }
}

@c @implementation public func curfew_host_wait_event(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>, _ task: curfew_task,
    _ context: UnsafeRawPointer?, _ timeout: UInt64,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?
) -> curfew_status {
    let runtime = with(host) { (host: HostRuntime) in host }
    var expectation: curfew_subscription = 0
    let status = curfew_host_expect_event(host, selector, task, context, &expectation, nil)
    guard status == 0 else { return status }
    return collect(runtime, expectation, timeout, out)
}

@c @implementation public func curfew_event_free(_ event: UnsafeMutablePointer<curfew_event>?) {
    if let event { UnsafeMutableRawPointer(event).deallocate() }
}

@c @implementation public func curfew_host_get_sender(_ host: OpaquePointer) -> curfew_task {
    with(host) { (host: HostRuntime) in host.loop.sender }
}

@c @implementation public func curfew_host_raise_event(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>, _ values: UnsafePointer<curfew_value>?,
    _ count: UInt32
) -> curfew_status {
    guard UInt(bitPattern: selector) != 0,
        let copies = ValueReader.read(values, count: Int(count))
    else { return Status.invalid.rawValue }
    return with(host) { (host: HostRuntime) in host.loop.raise(selector, copies).rawValue }
}

@c @implementation public func curfew_host_get_event_fd(_ host: OpaquePointer) -> Int32 {
    with(host) { (host: HostRuntime) in host.loop.descriptor }
}

@c @implementation public func curfew_host_wake(_ host: OpaquePointer) {
    with(host) { (host: HostRuntime) in host.loop.wake() }
}

@c @implementation public func curfew_host_dispatch(
    _ host: OpaquePointer, _ limit: UInt32, _ out: UnsafeMutablePointer<UInt32>?
) -> curfew_status {
    switch with(host, { (host: HostRuntime) in host.loop.dispatch(limit: limit) }) {
    case .success(let count):
        out?.pointee = count
        return Status.ok.rawValue
    case .failure(let failure): return failure.status.rawValue
    }
}

@c @implementation public func curfew_host_get_counts(
    _ host: OpaquePointer, _ out: UnsafeMutablePointer<curfew_counts>
) -> curfew_status {
    guard hasRoom(out, 8) else { return Status.invalid.rawValue }
    let counts = with(host) { (host: HostRuntime) in host.counts }
    let size = sizeOf(out)
    let full = curfew_counts(
        struct_size: size, workers: counts.workers, watchers: counts.watchers,
        lost_workers: counts.lostWorkers, launched: counts.launched,
        ended: outcomeCounts { counts.ended[$0] ?? 0 }, events_delivered: counts.eventsDelivered,
        events_unhandled: counts.eventsUntaken,
        events_lost: counts.eventsLost, misbehaviours: counts.misbehaviours,
        wakeups: counts.wakeups)
    StructCopy.write(full, to: out, size: size)
    return Status.ok.rawValue
}
