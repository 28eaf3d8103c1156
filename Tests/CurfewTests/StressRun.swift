// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import CurfewValues
import Glibc
import Runner
import Synchronization
import TestSupport

/// One host under the hands of many threads, through the C interface: some launch, cancel, stop,
/// hold back, query, wait and release, some complete pending tasks from outside, some subscribe and
/// wait for events, while short budgets run out.
///
/// What must hold in every order is checked as it happens or at the end; the rest is left to chance.
final class StressRun: @unchecked Sendable {
    // Sendable: `host` and `table` are set before the threads start; the rest is atomic or locked.

    /// What the handlers are like.
    private enum Nature: UInt32, CaseIterable {
        /// Succeeds at once.
        case quick
        /// Fails at once.
        case failing
        /// Is pending; others complete it, or nobody does.
        case pending
        /// Completes itself about when its budget is over.
        case racing
        /// Does not answer before its grace is over.
        case deaf
    }

    /// The two arguments of every handler's functions.
    private final class Role {
        unowned let run: StressRun
        let nature: Nature

        init(_ run: StressRun, _ nature: Nature) {
            self.run = run
            self.nature = nature
        }
    }

    private static let millisecond: UInt64 = 1_000_000

    let ledger = StressLedger()
    private let ownLoop: Bool
    private let taskLimit: UInt32
    /// The shutdown comes while everybody is at work.
    private let endsEarly: Bool
    /// Moved on by a thread of its own, in steps of every size; nil: the system's.
    private var clock: OpaquePointer?
    private var host: OpaquePointer!
    private var table: UnsafePointer<curfew_host_api>!
    private var roles: [Role] = []
    private let pending = Locked<[UInt64]>([])
    private let stopping = Atomic<Bool>(false)
    private let dispatching = Atomic<Bool>(true)

    init(ownLoop: Bool, taskLimit: UInt32, endsEarly: Bool, ownsTime: Bool = false) {
        self.ownLoop = ownLoop
        self.taskLimit = taskLimit
        self.endsEarly = endsEarly
        if ownsTime { curfew_clock_create(&clock, nil) }
    }

    deinit { curfew_clock_destroy(clock, nil) }

    /// Runs for about `seconds` and returns what went wrong.
    func carryOut(seconds: Double) -> [String] {
        makeHost()
        // A loop that nobody has turned yet is turned by whoever waits first.
        if ownLoop { expect(Int(CURFEW_OK), curfew_host_dispatch(host, 0, nil, nil), "dispatch") }
        let dispatcher =
            (ownLoop ? [start { $0.dispatch() }] : []) + (clock == nil ? [] : [start { $0.tick() }])
        let threads =
            (0..<3).map { number in start { $0.launch(seed: UInt64(number) + 1) } }
            + (0..<2).map { number in start { $0.complete(seed: UInt64(number) + 11) } }
            + (0..<2).map { number in start { $0.listen(seed: UInt64(number) + 21) } }
        let until = Self.now() + UInt64(seconds * 1e9)
        while Self.now() < until { usleep(1_000) }
        if endsEarly { end() }
        stopping.store(true, ordering: .sequentiallyConsistent)
        for thread in threads { pthread_join(thread, nil) }
        if !endsEarly { end() }
        dispatching.store(false, ordering: .sequentiallyConsistent)
        for thread in dispatcher { pthread_join(thread, nil) }
        check()
        return ledger.faults
    }

    // MARK: The host

    private func expect(_ wanted: Int, _ status: curfew_status, _ what: String) {
        if Int(status) != wanted { ledger.fault("\(what) answered \(status), not \(wanted)") }
    }

    private func makeHost() {
        var config = curfew_host_config()
        config.struct_size = UInt32(MemoryLayout<curfew_host_config>.size)
        config.manual_dispatch = ownLoop
        config.clock = clock
        config.task_limit = taskLimit
        config.queue_limit = 64
        config.event_limit = 4_096
        config.lost_after_ns = 60_000 * Self.millisecond
        // Tasks that are abandoned on purpose have their line each.
        config.log = { _, _, _, _, _, _ in }
        expect(Int(CURFEW_OK), curfew_host_create(&config, &host, nil), "create")
        table = curfew_host_get_api(host)
        expect(
            Int(CURFEW_OK),
            curfew_host_observe(
                host, nil,
                { data, event in
                    let run = Unmanaged<StressRun>.fromOpaque(data!).takeUnretainedValue()
                    run.observed(event.pointee)
                }, Unmanaged.passUnretained(self).toOpaque(), nil, nil), "observe")
        for nature in Nature.allCases {
            let role = Role(self, nature)
            roles.append(role)
            var handler = curfew_handler()
            handler.struct_size = UInt32(MemoryLayout<curfew_handler>.size)
            handler.handler_data = Unmanaged.passUnretained(role).toOpaque()
            handler.run = { data, api, task, error in
                let role = Unmanaged<Role>.fromOpaque(data!).takeUnretainedValue()
                return role.run.runs(role.nature, api, task, error)
            }
            handler.expired = { data, api, task, reason in
                let role = Unmanaged<Role>.fromOpaque(data!).takeUnretainedValue()
                role.run.expires(role.nature, api, task, reason)
            }
            var options = curfew_handler_options()
            options.struct_size = UInt32(MemoryLayout<curfew_handler_options>.size)
            options.budget_ns = 2 * Self.millisecond
            options.grace_ns = Self.millisecond
            options.max_concurrency = nature == .quick ? 1 : 3
            options.kind = curfew_kind(
                nature == .deaf ? CURFEW_KIND_PROCESSING : CURFEW_KIND_APP_REFRESH)
            let status = "org.example.\(nature)".withCString { identifier in
                handler.identifier = identifier
                return curfew_host_register_handler(host, &handler, &options, nil)
            }
            expect(Int(CURFEW_OK), status, "register")
        }
    }

    private func observed(_ event: curfew_event) {
        let selector = String(cString: event.selector)
        let lost = selector == "curfew_gap:" ? UInt64(event.values[0].integer) : 0
        ledger.delivered(
            event.sequence, lost: lost, task: event.task, done: selector.hasSuffix("_done::"))
        if curfew_host_get_sender(host) != event.task { ledger.fault("the sender is another task") }
    }

    private func end() {
        var limits = curfew_shutdown_options()
        limits.struct_size = UInt32(MemoryLayout<curfew_shutdown_options>.size)
        limits.drain_ns = 20 * Self.millisecond
        limits.expire_ns = 20_000 * Self.millisecond
        limits.leave_ns = 20_000 * Self.millisecond
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        let began = Self.now()
        let status = curfew_host_shutdown(host, &limits, &error)
        expect(Int(CURFEW_OK), status, "shutdown")
        // Every grace is over within milliseconds; a phase that waits for its limit waits for
        // somebody who was forgotten.
        if Self.now() - began > limits.expire_ns {
            ledger.fault("the shutdown took \((Self.now() - began) / Self.millisecond) ms")
        }
    }

    private func check() {
        if ownLoop { expect(Int(CURFEW_OK), curfew_host_dispatch(host, 0, nil, nil), "dispatch") }
        ledger.close()
        var counts = curfew_counts()
        counts.struct_size = UInt32(MemoryLayout<curfew_counts>.size)
        expect(Int(CURFEW_OK), curfew_host_get_counts(host, &counts, nil), "counts")
        let ended = withUnsafeBytes(of: counts.ended) {
            $0.bindMemory(to: UInt64.self).reduce(0, &+)
        }
        if counts.launched != UInt64(ledger.launches) || ended != counts.launched {
            ledger.fault("\(ledger.launches) launches, \(counts.launched) counted, \(ended) ended")
        }
        if counts.lost_workers != 0 { ledger.fault("\(counts.lost_workers) workers were lost") }
        expect(Int(CURFEW_OK), curfew_host_destroy(host, nil, nil), "destroy")
    }

    // MARK: Inside the host

    private func runs(
        _ nature: Nature, _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
        _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status {
        ledger.entered(task)
        switch nature {
        case .quick: return curfew_status(CURFEW_OK)
        case .failing:
            withUnsafeMutableBytes(of: &error.pointee.message) { $0.copyBytes(from: "no\0".utf8) }
            return curfew_status(CURFEW_FAILED)
        case .pending:
            if task.bit(20) { _ = api.pointee.keep(api, task) }
            pending.withLock { $0.append(task) }
            return curfew_status(CURFEW_PENDING)
        case .racing:
            let until = Self.now() + api.pointee.remaining_ns(api, task)
            while Self.now() < until, !api.pointee.is_expired(api, task) {}
            if task.bit(21) { finish(task, api, succeeding: task.bit(22)) }
            return curfew_status(task.bit(23) ? CURFEW_OK : CURFEW_FAILED)
        case .deaf:
            // Longer than budget and grace together, now and then.
            let until = Self.now() + (task.bit(24) ? 1 : 6) * Self.millisecond
            while Self.now() < until { sched_yield() }
            return curfew_status(CURFEW_OK)
        }
    }

    private func expires(
        _ nature: Nature, _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
        _ reason: curfew_reason
    ) {
        if !api.pointee.is_expired(api, task) { ledger.fault("task \(task) expires and is not") }
        if nature == .pending, task.bit(25) { finish(task, api, succeeding: true) }
    }

    /// Completes a task, and again: at most one may be accepted.
    private func finish(
        _ task: curfew_task, _ api: UnsafePointer<curfew_host_api>, succeeding: Bool
    ) {
        for _ in 0..<2 {
            let result: [UInt8] = [1, 2, 3]
            let verdict = api.pointee.complete(
                api, task, curfew_status(succeeding ? CURFEW_OK : CURFEW_FAILED), "sorry", 5,
                result, 3)
            switch Int(verdict) {
            case Int(CURFEW_OK), Int(CURFEW_LATE): ledger.accepted(task)
            case Int(CURFEW_ALREADY), Int(CURFEW_EXPIRED), Int(CURFEW_STALE): break
            case Int(CURFEW_CLOSING) where endsEarly: break
            default: ledger.fault("complete answered \(verdict)")
            }
        }
    }

    // MARK: Outside

    /// Launches tasks and lays hands on them.
    private func launch(seed: UInt64) {
        var random = SplitMix(seed)
        var kept: [curfew_task] = []
        while !stopping.load(ordering: .relaxed) {
            var options = curfew_launch_options()
            options.struct_size = UInt32(MemoryLayout<curfew_launch_options>.size)
            options.keep = random.below(4) > 0
            options.budget_ns = random.below(4) * Self.millisecond
            let payload = [UInt8](repeating: 7, count: Int(random.below(3)) * 16)
            let nature = UInt32(random.below(UInt64(Nature.allCases.count)))
            var task: curfew_task = 0
            let status = payload.withUnsafeBytes { bytes in
                options.payload = bytes.count > 0 ? bytes.baseAddress : nil
                options.payload_bytes = UInt64(bytes.count)
                return curfew_host_launch_by_index(host, nature, &options, &task, nil)
            }
            switch Int(status) {
            case Int(CURFEW_OK):
                ledger.launched(task)
                if options.keep { kept.append(task) }
                touch(task, isKept: options.keep, &random)
            case Int(CURFEW_BUSY), Int(CURFEW_EXHAUSTED): sched_yield()
            case Int(CURFEW_CLOSING) where endsEarly: sched_yield()
            default: ledger.fault("launch answered \(status)")
            }
            if kept.count > 8 {
                let one = kept.remove(at: Int(random.below(8)))
                touch(one, isKept: true, &random)
                expect(Int(CURFEW_OK), curfew_host_release_task(host, one, nil), "release")
            }
        }
        for task in kept {
            expect(Int(CURFEW_OK), curfew_host_release_task(host, task, nil), "the last release")
        }
    }

    private func touch(_ task: curfew_task, isKept: Bool, _ random: inout SplitMix) {
        func check(_ status: curfew_status, _ allowed: [Int32], _ what: String) {
            if status == CURFEW_STALE, !isKept { return }
            if !allowed.contains(status) {
                ledger.fault("\(what) of a \(isKept ? "kept " : "")task answered \(status)")
            }
        }
        let ok = Int32(CURFEW_OK)
        let already = Int32(CURFEW_ALREADY)
        let wrongState = Int32(CURFEW_WRONG_STATE)
        let closing = Int32(CURFEW_CLOSING)
        switch random.below(9) {
        case 0: check(curfew_host_cancel_task(host, task, nil), [ok, already], "cancel")
        case 1:
            check(
                curfew_host_stop_task(host, task, curfew_reason(CURFEW_REASON_HOST), nil),
                [ok, already, wrongState], "stop")
        case 2:
            check(curfew_host_pause_task(host, task, nil), [ok, already, wrongState], "pause")
            if random.below(2) == 0 {
                check(curfew_host_cancel_task(host, task, nil), [ok, already], "cancel while held")
            }
            if random.below(16) > 0 {
                check(
                    curfew_host_resume_task(host, task, nil),
                    [ok, already, wrongState, Int32(CURFEW_BUSY)],
                    "resume")
            }
        case 3, 4:
            withState { state in
                check(curfew_host_get_task(host, task, state, nil), [ok], "query")
            }
        case 5:
            guard isKept else { return }
            withState { state in
                let limit = random.below(4) * Self.millisecond
                let status = curfew_host_wait_task(host, task, limit, state, nil)
                check(
                    status, [ok, Int32(CURFEW_TIMED_OUT)] + (endsEarly ? [closing] : []), "wait")
                if status == ok, state.pointee.outcome == CURFEW_OUTCOME_NONE {
                    ledger.fault("wait returned before the end of task \(task)")
                }
            }
        case 6:
            let status = curfew_host_keep_task(host, task, nil)
            check(status, [ok], "keep")
            if status == ok {
                check(curfew_host_release_task(host, task, nil), [ok], "release of a keep")
            }
        case 7:
            var buffer = [UInt8](repeating: 0, count: 64)
            var bytes: UInt64 = 0
            check(
                curfew_host_read_task_result(host, task, &buffer, 64, &bytes, nil),
                [ok, wrongState],
                "read_result")
        default:
            var buffer = [CChar](repeating: 0, count: 64)
            var bytes: UInt64 = 0
            check(
                curfew_host_read_task_error(host, task, &buffer, 64, &bytes, nil),
                [ok, wrongState],
                "read_error")
        }
    }

    private func withState(_ body: (UnsafeMutablePointer<curfew_task_state>) -> Void) {
        withUnsafeTemporaryAllocation(of: curfew_task_state.self, capacity: 1) { state in
            let bytes = UnsafeMutableRawBufferPointer(state)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.storeBytes(of: UInt32(bytes.count), as: UInt32.self)
            body(state.baseAddress!)
        }
    }

    /// Completes what is pending, abandons it, or forgets it.
    private func complete(seed: UInt64) {
        var random = SplitMix(seed)
        while true {
            guard let task = pending.withLock({ $0.popLast() }) else {
                if stopping.load(ordering: .relaxed) { return }
                sched_yield()
                continue
            }
            _ = table.pointee.progress(table, task, 0.5, "half", 4)
            switch random.below(6) {
            case 0: break
            case 1: _ = table.pointee.release(table, task)
            case 2:
                // As late as its budget, or its grace.
                let until = Self.now() + table.pointee.remaining_ns(table, task)
                while Self.now() < until { sched_yield() }
                finish(task, table, succeeding: true)
            default: finish(task, table, succeeding: random.below(2) == 0)
            }
            if task.bit(20) { _ = table.pointee.release(table, task) }
        }
    }

    /// Subscribes, unsubscribes, expects, collects.
    private func listen(seed: UInt64) {
        var random = SplitMix(seed)
        let context = UnsafeRawPointer(bitPattern: UInt(seed))
        while !stopping.load(ordering: .relaxed) {
            let natures = Nature.allCases
            let name = "\(natures[Int(random.below(UInt64(natures.count)))])"
            var number: curfew_subscription = 0
            switch random.below(4) {
            case 0:
                let function:
                    @convention(c) (UnsafeMutableRawPointer?, Bool, UnsafePointer<CChar>) -> Void =
                        {
                            _, _, text in precondition(strlen(text) < 100)
                        }
                expect(
                    Int(CURFEW_OK),
                    curfew_host_subscribe(
                        host, name + "_done::",
                        unsafeBitCast(function, to: curfew_any_function.self), nil, &number, nil),
                    "subscribe")
            case 1:
                expect(
                    Int(CURFEW_OK),
                    curfew_host_observe(
                        host, random.below(2) == 0 ? nil : name + "_expired",
                        { _, event in precondition(event.pointee.count < 3) }, nil, &number, nil),
                    "observe")
            default:
                let expected = curfew_host_expect_event(
                    host, name + "_done::", 0, context, &number, nil)
                if endsEarly, Int(expected) == Int(CURFEW_CLOSING) { continue }
                expect(Int(CURFEW_OK), expected, "expect")
                var event: UnsafeMutablePointer<curfew_event>?
                let status = curfew_host_collect_event(
                    host, number, random.below(4) * Self.millisecond, &event, nil)
                if status == CURFEW_OK, event?.pointee.count != 2 {
                    ledger.fault("a done event with \(event?.pointee.count ?? 0) values")
                }
                curfew_event_free(event)
                continue
            }
            if random.below(2) == 0 { sched_yield() }
            expect(Int(CURFEW_OK), curfew_host_unsubscribe(host, number, nil), "unsubscribe")
        }
    }

    private func dispatch() {
        while dispatching.load(ordering: .sequentiallyConsistent) {
            expect(Int(CURFEW_OK), curfew_host_dispatch(host, 0, nil, nil), "dispatch")
            var one = pollfd(fd: curfew_host_get_event_fd(host), events: Int16(POLLIN), revents: 0)
            poll(&one, 1, 1)
        }
    }

    private func tick() {
        var random = SplitMix(31)
        while dispatching.load(ordering: .sequentiallyConsistent) {
            let step = random.below(8) * Self.millisecond / 4
            expect(Int(CURFEW_OK), curfew_clock_advance(clock!, step, nil), "advance")
            sched_yield()
        }
    }

    // MARK: Threads and time

    private final class Start {
        let run: StressRun
        let body: (StressRun) -> Void

        init(_ run: StressRun, _ body: @escaping (StressRun) -> Void) {
            self.run = run
            self.body = body
        }
    }

    private func start(_ body: @escaping (StressRun) -> Void) -> pthread_t {
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { raw in
                let start = Unmanaged<Start>.fromOpaque(raw!).takeRetainedValue()
                start.body(start.run)
                return nil
            }, Unmanaged.passRetained(Start(self, body)).toOpaque())
        precondition(failure == 0, "no thread could be started")
        return thread
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension UInt64 {
    /// A bit of a hash of the number, which stands for a coin that was tossed for it.
    fileprivate func bit(_ place: UInt64) -> Bool {
        (self &* 0x9E37_79B9_7F4A_7C15) >> (32 + place % 32) & 1 == 1
    }
}
