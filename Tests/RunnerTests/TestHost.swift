// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginBridge
import Scheduling
import TestSupport

@testable import Runner

/// A host without a C interface around it, with handlers made of closures.
final class TestHost: Sendable {
    let runtime: HostRuntime
    /// Nil for a host on the system's clock.
    let clock: ManualClock?
    /// Sees all events of the host.
    let all = Observer()
    let log = Guarded<[String]>([])
    /// The lines of the log that warn of a machine that cannot keep plugins from the host.
    let warningsOfMachine = Guarded<[String]>([])

    var engine: TaskEngine { runtime.engine }
    var loop: EventLoop { runtime.loop }
    var counts: HostCounts { runtime.counts }

    /// Makes a host. With a clock, time stands still until the test advances it.
    init(
        clock: ManualClock? = ManualClock(), ownLoop: Bool = false,
        workers: Int? = nil, observing: Bool = true,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws {
        self.clock = clock
        var configuration = HostConfiguration()
        configuration.clock = clock
        configuration.manualDispatch = ownLoop
        configuration.appRefresh = HostConfiguration.Workers(count: workers)
        configuration.processing = HostConfiguration.Workers(count: workers)
        configuration.log = { [log, warningsOfMachine] _, _, _, text in
            let isOfMachine = text.hasPrefix("this machine has no process namespaces")
            (isOfMachine ? warningsOfMachine : log).change { $0.append(text) }
        }
        configure(&configuration)
        runtime = try HostRuntime(configuration)
        if observing { try observe(nil, by: all) }
    }

    deinit {
        let leave = Guarded<Int>.limit.nanoseconds
        guard destroy(expire: .millisecond, leave: leave) == .wrongThread else { return }
        // A callback had the last reference.
        let runtime = runtime
        Thread.detachNewThread {
            try? runtime.destroy(TestHost.limits(0, .millisecond, leave))
        }
    }

    // MARK: Ending

    private static func limits(_ drain: UInt64, _ expire: UInt64, _ leave: UInt64) -> ShutdownLimits
    {
        var limits = ShutdownLimits()
        limits.drain = drain
        if expire != 0 { limits.expire = expire }
        if leave != 0 { limits.leave = leave }
        return limits
    }

    private func status(_ body: () throws(BridgeError) -> Void) -> (status: Status, text: String) {
        do throws(BridgeError) {
            try body()
            return (.ok, "")
        } catch {
            return (error.status, error.message)
        }
    }

    @discardableResult
    func shutDown(drain: UInt64 = 0, expire: UInt64 = 0, leave: UInt64 = 0) -> Status {
        shutDownSaying(drain: drain, expire: expire, leave: leave).status
    }

    func shutDownSaying(
        drain: UInt64 = 0, expire: UInt64 = 0, leave: UInt64 = 0
    ) -> (status: Status, text: String) {
        let limits = TestHost.limits(drain, expire, leave)
        return status { () throws(BridgeError) in try runtime.shutDown(limits) }
    }

    @discardableResult
    func destroy(expire: UInt64 = 0, leave: UInt64 = 0) -> Status {
        let limits = TestHost.limits(0, expire, leave)
        return status { () throws(BridgeError) in try runtime.destroy(limits) }.status
    }

    // MARK: Handlers

    /// Registers a handler of one second, or of one minute on the system's clock, where a thread may
    /// not run for any time.
    @discardableResult
    func register(
        _ identifier: String = "org.example.tidy", kind: TaskKind = .appRefresh,
        budget: UInt64? = nil, grace: UInt64? = nil, concurrency: UInt32 = 1,
        event: String? = nil, events: [EventSignature] = [],
        expired: (@Sendable (TaskCall, StopReason) -> Void)? = nil,
        run: @escaping @Sendable (TaskCall) -> Status
    ) throws(BridgeError) -> UInt32 {
        let usual: UInt64 = clock == nil ? 60 * .second : .second
        let description = HandlerDescription(
            identifier: identifier, kind: kind, budget: budget ?? usual, grace: grace ?? usual,
            maxConcurrency: concurrency, event: event, events: events)
        let handler = TestHandler(
            PluginServices(engine, runtime.requests, runtime.plugins.plugins), expired: expired,
            run: run)
        return try runtime.plugins.register(
            description, run: TestHandler.runFunction,
            expired: expired == nil ? nil : TestHandler.expiredFunction,
            data: Unmanaged.passUnretained(handler).toOpaque(), owner: handler
        ).index
    }

    func handler(_ identifier: String = "org.example.tidy") throws -> HandlerRecord {
        guard let handler = engine.handlers.find(identifier) else {
            throw TestFault(text: "no handler \(identifier)")
        }
        return handler
    }

    func release(handler identifier: String = "org.example.tidy") -> Status {
        runtime.plugins.release(identifier)
    }

    // MARK: Tasks

    func tryLaunch(
        _ identifier: String = "org.example.tidy", keep: Bool = true, payload: [UInt8] = [],
        budget: UInt64 = 0, grace: UInt64 = 0, attempt: UInt32 = 0
    ) -> (status: Status, task: UInt64) {
        guard let index = engine.handlers.find(identifier)?.index else { return (.notFound, 0) }
        return payload.withUnsafeBytes { bytes in
            let launched = engine.launch(
                index,
                Launch(
                    payload: bytes, budget: budget, grace: grace, attempt: attempt, keep: keep))
            return (launched.status, launched.task)
        }
    }

    func launch(
        _ identifier: String = "org.example.tidy", keep: Bool = true, payload: [UInt8] = [],
        budget: UInt64 = 0, grace: UInt64 = 0
    ) throws -> UInt64 {
        let (status, task) = tryLaunch(
            identifier, keep: keep, payload: payload, budget: budget, grace: grace)
        guard status == .ok else { throw TestFault(text: "not launched: \(status)") }
        return task
    }

    func query(_ task: UInt64) throws -> TaskState {
        guard let state = engine.query(task) else { throw TestFault(text: "\(task) is stale") }
        return state
    }

    func isStale(_ task: UInt64) -> Bool { engine.query(task) == nil }

    func wait(
        _ task: UInt64, within limit: UInt64 = Guarded<Int>.limit.nanoseconds
    ) -> Status {
        runtime.wait(task, timeout: limit).status
    }

    /// Returns once the task's function has returned that it is pending, which nothing signals.
    func waitUntilPending(_ task: UInt64) throws {
        try waitUntil("pending") { try query(task).phase == .pending }
    }

    /// Polls for a state that nothing signals.
    func waitUntil(_ what: String, _ isSo: () throws -> Bool) throws {
        let end = SuspendingClock.now + .seconds(Guarded<Int>.limit)
        while try !isSo() {
            guard SuspendingClock.now < end else {
                throw TestFault(text: "not \(what) within the limit")
            }
            sched_yield()
        }
    }

    func cancel(_ task: UInt64) -> Status { engine.cancel(task) }
    func stop(_ task: UInt64, _ reason: StopReason = .host) -> Status {
        engine.stopTask(task, reason)
    }
    func pause(_ task: UInt64) -> Status { engine.hold(task) }
    func resume(_ task: UInt64) -> Status { engine.resumeTask(task) }
    func keepTask(_ task: UInt64) -> Status { engine.keep(task) }
    func release(_ task: UInt64) -> Status { engine.release(task) }

    /// The task, as a handler of the embedder reaches it.
    func call(_ task: UInt64) -> TaskCall {
        TaskCall(
            services: PluginServices(engine, runtime.requests, runtime.plugins.plugins), task: task)
    }

    private func read(_ part: TaskEngine.Part, of task: UInt64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 70_000)
        let (status, count) = bytes.withUnsafeMutableBytes {
            engine.read(part, of: task, into: $0)
        }
        return status == .ok ? Array(bytes.prefix(count)) : nil
    }

    func errorText(_ task: UInt64) -> String? {
        read(.error, of: task).map { String(decoding: $0, as: UTF8.self) }
    }

    func result(_ task: UInt64) -> [UInt8]? { read(.result, of: task) }

    // MARK: Events

    @discardableResult
    func observe(_ selector: String?, by observer: Observer) throws -> UInt64 {
        try loop.subscribe(
            selector.flatMap { EventSelector($0) }, .closure { observer.receive($0) }
        ).get()
    }

    func expect(
        _ selector: String, task: UInt64 = 0, context: UInt = 0
    ) throws -> UInt64 {
        let selector = EventSelector(selector)!
        return try loop.expect(selector, task: task, context: context).get().number
    }

    func collect(
        _ expectation: UInt64, within limit: UInt64 = Guarded<Int>.limit.nanoseconds
    ) -> (status: Status, event: HostEvent?) {
        switch loop.collect(expectation, timeout: limit) {
        case .success(let event): (.ok, event)
        case .failure(let error): (error.status, nil)
        }
    }

    func raise(_ selector: String, _ values: [EventValue] = []) -> Status {
        loop.raise(EventSelector(selector)!, values)
    }

    /// Runs the loop on this thread. Returns nil where that is refused.
    @discardableResult
    func dispatch(_ limit: UInt32 = 0) -> UInt32? { try? loop.dispatch(limit: limit).get() }
}
