// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport

/// A host as C has it, with handlers made of closures.
final class TestHost: @unchecked Sendable {
    // Sendable: the C functions take calls from every thread; `kept` and `isGone` are guarded.

    let raw: OpaquePointer
    /// Nil for a host on the system's clock.
    let clock: TestClock?
    /// Sees all events of the host.
    let all = Observer()
    let log = Guarded<[String]>([])
    private let kept = Guarded<[AnyObject]>([])
    private let isGone = Guarded(false)

    /// Makes a host. With a clock, time stands still until the test advances it.
    init(
        clock: TestClock? = TestClock(), ownLoop: Bool = false, workers: UInt32 = 0,
        observing: Bool = true, configure: (inout curfew_host_config) -> Void = { _ in }
    ) throws {
        self.clock = clock
        var pool = curfew_worker_config()
        pool.struct_size = UInt32(MemoryLayout<curfew_worker_config>.size)
        pool.workers = workers
        var config = curfew_host_config()
        config.struct_size = UInt32(MemoryLayout<curfew_host_config>.size)
        config.manual_dispatch = ownLoop
        config.clock = clock?.raw
        config.log_data = Unmanaged.passUnretained(log).toOpaque()
        config.log = { data, level, plugin, task, text, _ in
            let from = plugin.map { "[\(String(cString: $0))] " } ?? ""
            let line = "\(level) \(from)\(String(cString: text))"
            Unmanaged<Guarded<[String]>>.fromOpaque(data!).takeUnretainedValue()
                .change { $0.append(line) }
        }
        configure(&config)
        var made: OpaquePointer?
        var error = curfew_error.empty
        let status = withUnsafePointer(to: &pool) { pool in
            config.app_refresh = pool
            config.processing = pool
            return curfew_host_create(&config, &made, &error)
        }
        guard status == CURFEW_OK, let made else { throw TestFault(text: "no host: \(error.text)") }
        raw = made
        if observing { try observe(nil, by: all) }
    }

    deinit {
        let leave = Guarded<Int>.limit.nanoseconds
        guard destroy(expire: .millisecond, leave: leave) == .wrongThread else { return }
        // A callback had the last reference: another thread has to do it, and has to keep what the
        // callbacks use until then.
        let objects = Guarded<[AnyObject]>(kept.value + [all, log] + (clock.map { [$0] } ?? []))
        nonisolated(unsafe) let raw = raw
        Thread.detachNewThread {
            _ = TestHost.withShutdown(0, .millisecond, leave) { curfew_host_destroy(raw, $0, nil) }
            objects.change { $0 = [] }
        }
    }

    /// Destroys the host, unless that was done.
    @discardableResult
    func destroy(drain: UInt64 = 0, expire: UInt64 = 0, leave: UInt64 = 0) -> Answer {
        destroySaying(drain: drain, expire: expire, leave: leave).answer
    }

    /// The same with the text of the failure.
    func destroySaying(
        drain: UInt64 = 0, expire: UInt64 = 0, leave: UInt64 = 0
    ) -> (answer: Answer, text: String) {
        if isGone.value { return (.ok, "") }
        var error = curfew_error.empty
        let answer = TestHost.withShutdown(drain, expire, leave) {
            Answer(curfew_host_destroy(raw, $0, &error))
        }
        if answer == .timedOut || answer == .wrongThread {
            // A thread of it may still call what the test gave it. The second: the last reference
            // went in a callback.
            for object in kept.value { _ = Unmanaged.passRetained(object) }
            _ = Unmanaged.passRetained(log)
            _ = Unmanaged.passRetained(all)
        }
        if answer != .wrongThread { isGone.change { $0 = true } }
        return (answer, error.text)
    }

    @discardableResult
    func shutDown(drain: UInt64 = 0, expire: UInt64 = 0, leave: UInt64 = 0) -> Answer {
        shutDownSaying(drain: drain, expire: expire, leave: leave).answer
    }

    func shutDownSaying(
        drain: UInt64 = 0, expire: UInt64 = 0, leave: UInt64 = 0
    ) -> (answer: Answer, text: String) {
        var error = curfew_error.empty
        let answer = TestHost.withShutdown(drain, expire, leave) {
            Answer(curfew_host_shutdown(raw, $0, &error))
        }
        return (answer, error.text)
    }

    private static func withShutdown<Result>(
        _ drain: UInt64, _ expire: UInt64, _ leave: UInt64,
        _ body: (UnsafePointer<curfew_shutdown_options>) -> Result
    ) -> Result {
        var options = curfew_shutdown_options()
        options.struct_size = UInt32(MemoryLayout<curfew_shutdown_options>.size)
        options.drain_ns = drain
        options.expire_ns = expire
        options.leave_ns = leave
        return body(&options)
    }

    /// Keeps an object for as long as the host may use it.
    func keep(_ object: AnyObject) { kept.change { $0.append(object) } }

    // MARK: Handlers

    /// A second, by default, on the manual clock, and a minute on the machine's.
    @discardableResult
    func register(
        _ identifier: String = "org.example.tidy", kind: Int = CURFEW_KIND_APP_REFRESH,
        budget: UInt64? = nil, grace: UInt64? = nil, concurrency: UInt32 = 1,
        event: String? = nil, events: [String] = [],
        expired: (@Sendable (RunCall, curfew_reason) -> Void)? = nil,
        run: @escaping @Sendable (RunCall) -> curfew_status
    ) throws -> UInt32 {
        // Of the machine's time nobody can tell how much passes while a thread does not run.
        let usual: UInt64 = clock == nil ? 60_000_000_000 : 1_000_000_000
        let (answer, text) = tryRegister(
            identifier, kind: kind, budget: budget ?? usual, grace: grace ?? usual,
            concurrency: concurrency, event: event, events: events, expired: expired, run: run)
        guard answer == .ok else { throw TestFault(text: "not registered: \(text)") }
        var index: UInt32 = 0
        _ = curfew_host_find_handler(raw, identifier, &index, nil)
        return index
    }

    func tryRegister(
        _ identifier: String, kind: Int = CURFEW_KIND_APP_REFRESH, budget: UInt64 = 0,
        grace: UInt64 = 0, concurrency: UInt32 = 0, event: String? = nil, events: [String] = [],
        expired: (@Sendable (RunCall, curfew_reason) -> Void)? = nil,
        run: @escaping @Sendable (RunCall) -> curfew_status = { _ in 0 }
    ) -> (answer: Answer, text: String) {
        let handler = TestHandler(expired: expired, run: run)
        keep(handler)
        var error = curfew_error.empty
        let name = event.map { strdup($0)! }
        var list = events.map { UnsafePointer<CChar>?(strdup($0)!) } + [nil]
        defer {
            free(name)
            for text in list { free(UnsafeMutablePointer(mutating: text)) }
        }
        let answer = handler.withDescription(identifier) { description in
            list.withUnsafeMutableBufferPointer { list in
                var options = curfew_handler_options()
                options.struct_size = UInt32(MemoryLayout<curfew_handler_options>.size)
                options.kind = curfew_kind(kind)
                options.budget_ns = budget
                options.grace_ns = grace
                options.max_concurrency = concurrency
                options.event = UnsafePointer(name)
                options.events = UnsafePointer(list.baseAddress)
                return Answer(curfew_host_register_handler(raw, description, &options, &error))
            }
        }
        return (answer, error.text)
    }

    func handler(_ identifier: String = "org.example.tidy") throws -> curfew_handler_state {
        var index: UInt32 = 0
        guard curfew_host_find_handler(raw, identifier, &index, nil) == CURFEW_OK else {
            throw TestFault(text: "no handler \(identifier)")
        }
        let state = OutStruct.filled(curfew_handler_state.self) {
            curfew_host_get_handler(raw, index, $0, nil)
        }.value
        guard let state else { throw TestFault(text: "no state of \(identifier)") }
        return state
    }

    func load(_ directory: String) -> (answer: Answer, text: String) {
        var error = curfew_error.empty
        let answer = Answer(curfew_host_load_plugin(raw, directory, &error))
        return (answer, error.text)
    }

    // MARK: Tasks

    func tryLaunch(
        _ identifier: String = "org.example.tidy", keep: Bool = true, payload: [UInt8] = [],
        budget: UInt64 = 0, grace: UInt64 = 0, attempt: UInt32 = 0
    ) -> (answer: Answer, task: curfew_task) {
        payload.withUnsafeBytes { bytes in
            var options = curfew_launch_options()
            options.struct_size = UInt32(MemoryLayout<curfew_launch_options>.size)
            options.keep = keep
            options.payload = bytes.isEmpty ? nil : bytes.baseAddress
            options.payload_bytes = UInt64(bytes.count)
            options.budget_ns = budget
            options.grace_ns = grace
            options.attempt = attempt
            var task: curfew_task = 0
            let answer = Answer(curfew_host_launch(raw, identifier, &options, &task, nil))
            return (answer, task)
        }
    }

    func launch(
        _ identifier: String = "org.example.tidy", keep: Bool = true, payload: [UInt8] = [],
        budget: UInt64 = 0, grace: UInt64 = 0
    ) throws -> curfew_task {
        let (answer, task) = tryLaunch(
            identifier, keep: keep, payload: payload, budget: budget, grace: grace)
        guard answer == .ok else { throw TestFault(text: "not launched: \(answer)") }
        return task
    }

    func query(_ task: curfew_task) throws -> curfew_task_state {
        let (answer, state) = OutStruct.filled(curfew_task_state.self) {
            curfew_host_get_task(raw, task, $0, nil)
        }
        guard let state else { throw TestFault(text: "no state of task \(task): \(answer)") }
        return state
    }

    /// What `curfew_host_get_task` answers, where the state does not matter.
    func queryAnswer(_ task: curfew_task) -> Answer {
        OutStruct.filled(curfew_task_state.self) { curfew_host_get_task(raw, task, $0, nil) }.answer
    }

    func wait(
        _ task: curfew_task, within limit: UInt64 = Guarded<Int>.limit.nanoseconds
    ) -> Answer {
        Answer(curfew_host_wait_task(raw, task, limit, nil, nil))
    }

    /// Returns once the task's function has returned `PENDING`; the host tells nobody about that.
    func waitUntilPending(_ task: curfew_task) throws {
        do {
            try waitUntil("pending") { try query(task).phase == CURFEW_TASK_PHASE_PENDING }
        } catch let failure as TestFault {
            let state = try query(task)
            throw TestFault(
                text: "\(failure): phase \(state.phase), outcome \(state.outcome)")
        }
    }

    /// Looks again and again for a state that nobody signals.
    func waitUntil(_ what: String, _ isSo: () throws -> Bool) throws {
        let end = SuspendingClock.now + .seconds(Guarded<Int>.limit)
        while try !isSo() {
            guard SuspendingClock.now < end else {
                throw TestFault(text: "not \(what) within the limit")
            }
            sched_yield()
        }
    }

    func cancel(_ task: curfew_task) -> Answer { Answer(curfew_host_cancel_task(raw, task, nil)) }

    func stop(_ task: curfew_task, _ reason: Int = CURFEW_REASON_HOST) -> Answer {
        Answer(curfew_host_stop_task(raw, task, curfew_reason(reason), nil))
    }

    func pause(_ task: curfew_task) -> Answer { Answer(curfew_host_pause_task(raw, task, nil)) }

    func resume(_ task: curfew_task) -> Answer { Answer(curfew_host_resume_task(raw, task, nil)) }

    func keepTask(_ task: curfew_task) -> Answer { Answer(curfew_host_keep_task(raw, task, nil)) }

    func release(_ task: curfew_task) -> Answer { Answer(curfew_host_release_task(raw, task, nil)) }

    /// The task as the host's own table reaches it.
    func call(_ task: curfew_task) -> RunCall { RunCall(api: curfew_host_get_api(raw), task: task) }

    func errorText(_ task: curfew_task) -> String? {
        var bytes = [CChar](repeating: 0, count: 70_000)
        var count: UInt64 = 0
        guard
            curfew_host_read_task_error(raw, task, &bytes, UInt64(bytes.count), &count, nil)
                == CURFEW_OK
        else { return nil }
        return String(
            decoding: bytes.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func result(_ task: curfew_task) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var count: UInt64 = 0
        guard
            curfew_host_read_task_result(raw, task, &bytes, UInt64(bytes.count), &count, nil)
                == CURFEW_OK
        else { return nil }
        return Array(bytes.prefix(Int(count)))
    }

    // MARK: Events

    @discardableResult
    func observe(_ selector: String?, by observer: Observer) throws -> curfew_subscription {
        var number: curfew_subscription = 0
        keep(observer)
        let answer = Answer(
            curfew_host_observe(
                raw, selector, Observer.function, Unmanaged.passUnretained(observer).toOpaque(),
                &number, nil))
        guard answer == .ok else { throw TestFault(text: "not observed: \(answer)") }
        return number
    }

    func expect(
        _ selector: String, task: curfew_task = 0, context: UnsafeRawPointer? = nil
    ) throws -> curfew_subscription {
        var number: curfew_subscription = 0
        let answer = Answer(curfew_host_expect_event(raw, selector, task, context, &number, nil))
        guard answer == .ok else { throw TestFault(text: "not expected: \(answer)") }
        return number
    }

    func collect(
        _ expectation: curfew_subscription, within limit: UInt64 = Guarded<Int>.limit.nanoseconds
    ) -> (answer: Answer, event: SeenEvent?) {
        var event: UnsafeMutablePointer<curfew_event>?
        let answer = Answer(curfew_host_collect_event(raw, expectation, limit, &event, nil))
        defer { curfew_event_free(event) }
        return (answer, event.map { SeenEvent($0) })
    }

    func raise(_ selector: String, _ parameters: [Parameter] = []) -> Answer {
        Parameter.withValues(parameters) { values, count in
            Answer(curfew_host_raise_event(raw, selector, values, count, nil))
        }
    }

    /// Turns the loop on this thread. Nil where that is refused.
    @discardableResult
    func dispatch(_ limit: UInt32 = 0) -> UInt32? {
        var count: UInt32 = 0
        return curfew_host_dispatch(raw, limit, &count, nil) == CURFEW_OK ? count : nil
    }

    var counts: curfew_counts {
        var counts = curfew_counts()
        counts.struct_size = UInt32(MemoryLayout<curfew_counts>.size)
        _ = curfew_host_get_counts(raw, &counts, nil)
        return counts
    }
}
