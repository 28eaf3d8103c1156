// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
package import PluginBridge
package import Scheduling

extension EventLoop {
    /// Readable while events wait; -1 where a thread of the host runs the loop.
    package var descriptor: Int32 { isEmbedders ? queue.descriptor : -1 }

    /// Makes the descriptor readable once. Async-signal-safe: it only calls write(2).
    package func wake() { csys_eventfd_signal(queue.descriptor) }

    // MARK: Raising

    /// Raises an event of the embedder about no task. `selector` is NUL-terminated.
    package func raise(_ selector: UnsafePointer<CChar>, _ values: [EventValue]) -> Status {
        let length = strnlen(selector, EventSelector.textLimit + 1)
        guard length <= EventSelector.textLimit else { return .invalid }
        let text = UnsafeRawBufferPointer(start: selector, count: length)
        if let entry = directory.raisedBefore(text) {
            return entry._withUnsafeGuaranteedRef { raise($0, values) }
        }
        guard let selector = EventSelector(String(cString: selector)),
            values.count == selector.arity
        else { return .invalid }
        return raise(selector, values)
    }

    package func raise(_ selector: EventSelector, _ values: [EventValue]) -> Status {
        guard phase.isOpen else { return .closing }
        guard
            let signature = EventSignature(selector: selector, parameters: values.map(\.type))
        else { return .invalid }
        guard !selector.name.hasPrefix("curfew_") else { return .denied }
        guard let declared = directory.declareRaised(signature) else { return .exhausted }
        // Only its tasks raise a handler's declared events, also for the embedder's handlers.
        guard declared.owner == nil else { return .denied }
        guard declared.signature == signature else { return .invalid }
        return queue.raise(declared.entry, values, task: 0).status
    }

    private func raise(_ entry: EventEntry, _ values: [EventValue]) -> Status {
        guard let types = entry.declaration?.parameters, types.count == values.count else {
            return .invalid
        }
        guard phase.isOpen else { return .closing }
        for (type, value) in zip(types, values) where value.type != type { return .invalid }
        return queue.raise(entry, values, task: 0).status
    }

    /// Says why values do not fit the types that the first raise of an event has fixed, or returns
    /// nil where they fit.
    package func fault(of values: [EventValue], _ selector: EventSelector) -> String? {
        let types = values.map(\.type)
        guard let fixed = directory.declaration(of: selector)?.parameters,
            types.count == fixed.count,
            types != fixed
        else { return nil }
        func list(_ types: [EventType]) -> String {
            "(" + types.map(\.name).joined(separator: ", ") + ")"
        }
        return "\"\(selector)\" was not raised with \(list(types)): its first raise in this host "
            + "fixed its types as \(list(fixed)); raise it with those, or raise an event of another name"
    }

    // MARK: Waiting

    /// Expects the next matching event, of any task if `task` is 0; replaces an older equal wait.
    package func expect(
        _ selector: EventSelector, task: UInt64, context: UInt
    ) -> Result<Expectation, BridgeError> {
        // The replaced wait may be one that sleeps.
        defer { wakeSleepers() }
        return directory.expect(selector, task: task, context: context)
    }

    /// The reason why the calling thread must not wait for an event now, or nil.
    package var waitFault: BridgeError? {
        switch threads.role {
        case .worker, .deadline, .loading, .logging, .channel:
            BridgeError(
                .wrongThread,
                "a worker, a deadline thread or a log function must not wait for an event")
        case .loop, .other:
            isTooDeep
                ? BridgeError(
                    .exhausted,
                    "too many waits stand inside each other's events; wait outside the receiver")
                : nil
        }
    }

    /// Waits for an expected event, at most `timeout` ns of real time, and ends the expectation.
    package func collect(_ number: UInt64, timeout: UInt64) -> Result<HostEvent, BridgeError> {
        if let waitFault { return .failure(waitFault) }
        guard let expectation = directory.expectation(number) else {
            return .failure(BridgeError(.notFound, "no such expectation; it was collected before"))
        }
        let until = Self.deadline(after: timeout)
        while expectation.outcome == nil, csys_monotonic_ns() < until {
            if runWhileWaiting() {
                sleep(until: until) { expectation.outcome != nil }
            } else {
                expectation.sleep(until: until)
            }
        }
        giveUp(
            expectation,
            BridgeError(.timedOut, "the event did not come within \(timeout / 1_000_000) ms"))
        return expectation.outcome ?? .failure(BridgeError(.timedOut, "the event did not come"))
    }

    package func giveUp(_ expectation: Expectation, _ error: BridgeError) {
        directory.giveUp(expectation, error)
        wakeSleepers()
    }

    /// Returns the CLOCK_MONOTONIC time `timeout` ns from now, or `.max` on overflow.
    static func deadline(after timeout: UInt64) -> UInt64 {
        let (sum, overflow) = csys_monotonic_ns().addingReportingOverflow(timeout)
        return overflow ? .max : sum
    }

    // MARK: Subscribing

    /// Subscribes to an event, or to all events when `selector` is nil.
    package func subscribe(
        _ selector: EventSelector?, _ receiver: EventReceiver
    ) -> Result<UInt64, BridgeError> {
        directory.subscribe(to: selector, receiver)
    }
}
