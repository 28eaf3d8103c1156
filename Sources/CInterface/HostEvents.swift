// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner
import Scheduling

@c @implementation public func curfew_host_subscribe(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>,
    _ function: @escaping curfew_any_function, _ data: UnsafeMutableRawPointer?,
    _ out: UnsafeMutablePointer<curfew_subscription>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard isFunction(unsafeBitCast(function, to: UInt.self)) else {
        return refuseNull(error, "function")
    }
    guard let parsed = parse(selector) else {
        return answer(error, .invalid, notASelector(selector))
    }
    return subscribe(host, parsed, .typed(function, data), out, error)
}

@c @implementation public func curfew_host_observe(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>?,
    _ function: @escaping curfew_event_function, _ data: UnsafeMutableRawPointer?,
    _ out: UnsafeMutablePointer<curfew_subscription>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard isFunction(unsafeBitCast(function, to: UInt.self)) else {
        return refuseNull(error, "function")
    }
    guard let selector else {
        return subscribe(host, nil, .generic(function, data), out, error)
    }
    guard let parsed = parse(selector) else {
        return answer(error, .invalid, notASelector(selector))
    }
    return subscribe(host, parsed, .generic(function, data), out, error)
}

/// Returns false for NULL, which C can pass. The compiler would remove a comparison with nil, since
/// the type is not optional.
@inline(never) func isFunction(_ bits: UInt) -> Bool { bits != 0 }

private func parse(_ selector: UnsafePointer<CChar>) -> EventSelector? {
    ForeignText.read(selector, limit: EventSelector.textLimit).flatMap(EventSelector.init)
}

private func notASelector(_ text: UnsafePointer<CChar>) -> String {
    guard let shown = ForeignText.shown(text, limit: EventSelector.textLimit) else {
        return "selector is NULL"
    }
    return
        "\"\(shown)\" is not a selector: a lower-case name and one colon per parameter, such as tidy_done::"
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
        return answer(error, failure)
    }
}

private func answer(
    _ error: UnsafeMutablePointer<curfew_error>?, _ failure: BridgeError
) -> curfew_status {
    answer(error, failure.status, failure.message)
}

@c @implementation public func curfew_host_unsubscribe(
    _ host: OpaquePointer, _ subscription: curfew_subscription,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = with(host) { (host: HostRuntime) in host.loop.unsubscribe(subscription) }
    return answer(error, status, "no subscription has the number \(subscription)")
}

@c @implementation public func curfew_host_expect_event(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>, _ task: curfew_task,
    _ context: UnsafeRawPointer?, _ out: UnsafeMutablePointer<curfew_subscription>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard let parsed = parse(selector) else {
        return answer(error, .invalid, notASelector(selector))
    }
    if isNull(out) { return refuseNull(error, "out_expectation") }
    return with(host) { (host: HostRuntime) in
        switch host.loop.expect(parsed, task: task, context: UInt(bitPattern: context)) {
        case .success(let expectation):
            out.pointee = expectation.number
            return Status.ok.rawValue
        case .failure(let failure): return answer(error, failure)
        }
    }
}

@c @implementation public func curfew_host_collect_event(
    _ host: OpaquePointer, _ expectation: curfew_subscription, _ timeout: UInt64,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    // Retained during the wait: a shutdown wakes it, and the host may be destroyed before it
    // returns.
    collect(with(host) { (host: HostRuntime) in host }, expectation, timeout, out, error)
}

private func collect(
    _ runtime: HostRuntime, _ expectation: curfew_subscription, _ timeout: UInt64,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    switch runtime.loop.collect(expectation, timeout: timeout) {
    case .success(let event):
        out?.pointee = EventCopy.make(event)
        return Status.ok.rawValue
    case .failure(let failure): return answer(error, failure)
    }
}

@c @implementation public func curfew_host_wait_event(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>, _ task: curfew_task,
    _ context: UnsafeRawPointer?, _ timeout: UInt64,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<curfew_event>?>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let runtime = with(host) { (host: HostRuntime) in host }
    // Refused before it expects: an expectation that no call collects would take a later event.
    if let fault = runtime.loop.waitFault { return answer(error, fault) }
    var expectation: curfew_subscription = 0
    let status = curfew_host_expect_event(host, selector, task, context, &expectation, error)
    guard status == 0 else { return status }
    return collect(runtime, expectation, timeout, out, error)
}

@c @implementation public func curfew_event_free(_ event: UnsafeMutablePointer<curfew_event>?) {
    if let event { UnsafeMutableRawPointer(event).deallocate() }
}

@c @implementation public func curfew_host_get_sender(_ host: OpaquePointer) -> curfew_task {
    with(host) { (host: HostRuntime) in host.loop.sender }
}

@c @implementation public func curfew_host_raise_event(
    _ host: OpaquePointer, _ selector: UnsafePointer<CChar>, _ values: UnsafePointer<curfew_value>?,
    _ count: UInt32, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    if isNull(selector) { return refuseNull(error, "selector") }
    guard let copies = ValueReader.read(values, count: Int(count)) else {
        return answer(error, .invalid, notValues(count))
    }
    return with(host) { (host: HostRuntime) in
        let status = host.loop.raise(selector, copies)
        return answer(error, status, raiseFailure(status, host, selector, copies))
    }
}

/// Returns the message for values that cannot be read.
func notValues(_ count: UInt32) -> String {
    "the \(count) values are NULL or too many, or one is of no known type, out of the range of its type, or a text that is NULL or longer than any memory"
}

private func raiseFailure(
    _ status: Status, _ host: HostRuntime, _ selector: UnsafePointer<CChar>, _ values: [EventValue]
) -> String {
    if status == .invalid, let fault = parse(selector).flatMap({ host.loop.fault(of: values, $0) })
    {
        return fault
    }
    let name =
        "\"\(ForeignText.shown(selector, limit: EventSelector.textLimit) ?? "")\" was not raised"
    return switch status {
    case .invalid:
        "\(name): it is not a lower-case name with one colon for each of \(values.count) values"
    case .denied: "\(name): a handler declares the name, or the host reserves it"
    case .busy: "\(name): the event queue is full; raise it again once events were delivered"
    case .exhausted: "\(name): 32,768 names are known that no handler declares"
    default: "\(name): \(status)"
    }
}

@c @implementation public func curfew_host_get_event_fd(_ host: OpaquePointer) -> Int32 {
    with(host) { (host: HostRuntime) in host.loop.descriptor }
}

@c @implementation public func curfew_host_wake(_ host: OpaquePointer) {
    with(host) { (host: HostRuntime) in host.loop.wake() }
}

@c @implementation public func curfew_host_dispatch(
    _ host: OpaquePointer, _ limit: UInt32, _ out: UnsafeMutablePointer<UInt32>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    // Held meanwhile: another thread may destroy the host.
    let runtime = with(host) { (host: HostRuntime) in host }
    switch runtime.loop.dispatch(limit: limit) {
    case .success(let count):
        out?.pointee = count
        return Status.ok.rawValue
    case .failure(let failure): return answer(error, failure)
    }
}

@c @implementation public func curfew_host_get_counts(
    _ host: OpaquePointer, _ out: UnsafeMutablePointer<curfew_counts>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard hasRoom(out, 8) else { return refuseSize(error, out, "out_counts") }
    let counts = with(host) { (host: HostRuntime) in host.counts }
    let size = sizeOf(out)
    let full = curfew_counts(
        struct_size: size, workers: counts.workers, deadline_threads: counts.deadlineThreads,
        lost_workers: counts.lostWorkers, launched: counts.launched,
        ended: outcomeCounts { counts.ended[$0] ?? 0 }, events_delivered: counts.eventsDelivered,
        events_unhandled: counts.eventsUntaken,
        events_lost: counts.eventsLost, contract_violations: counts.contractViolations,
        wakeups: counts.wakeups, processes_started: counts.processesStarted,
        processes_crashed: counts.processesCrashed, processes_killed: counts.processesKilled,
        processes_faulty: counts.processesFaulty, process_records: counts.processRecords)
    StructCopy.write(full, to: out, size: size)
    return Status.ok.rawValue
}
