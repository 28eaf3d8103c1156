// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Dispatch
import Glibc
import Runner
import Scheduling
import Synchronization

/// The harness' handlers and what it asks of them. A request's key is its payload, too, so that a
/// handler knows which one it is.
final class Work: @unchecked Sendable {
    // Sendable: constants, but for the host, which is set once, before there are other threads.

    static let prefix = "org.example."
    private static let hour: Int64 = 3_600_000_000_000

    var host: Host!
    private let plan: CrashPlan
    private let isPoisonous: Bool
    private let keys = Mutex<[UInt64: String]>([:])
    private let alarms = Mutex<[UInt64: DispatchSemaphore]>([:])
    /// Opened by an order: where the handler `held` waits.
    let gate = DispatchSemaphore(value: 0)
    /// Signalled with each end of a task.
    let ended = DispatchSemaphore(value: 0)
    private var observation: Observation?

    init(_ plan: CrashPlan, isPoisonous: Bool) {
        self.plan = plan
        self.isPoisonous = isPoisonous
    }

    // MARK: Handlers

    func begin() throws {
        observation = try host.observe { [weak self] event in self?.happened(event) }
        try register("quick", places: 4) { _, _ in }
        try register("fails") { task, _ in
            if task.attempt == 1 { throw Refusal(text: "not at the first attempt") }
        }
        // Apple's way: the next one first, then the work.
        try register("again") { [self] _, key in
            guard key.utf8.count(where: { $0 == UInt8(ascii: "+") }) < 3 else { return }
            submit("again", key + "+")
            plan.reached("handler-submitted")
        }
        try register("poison") { [isPoisonous] _, key in
            guard isPoisonous else { return }
            History.put("poisoned", key)
            kill(getpid(), SIGKILL)
            while true { pause() }
        }
        try register("held") { [gate] _, _ in
            gate.wait()
            gate.signal()
        }
        try registerLate()
        try registerKept()
    }

    /// Its time is over before it is.
    private func registerLate() throws {
        try host.register(
            description("late", places: 2, budget: 20_000_000),
            expired: { [self] task, _ in alarm(of: task.id).signal() },
            run: { [self] task in
                let key = enter(task)
                alarm(of: task.id).wait()
                leave(key)
                throw Refusal(text: "its time was over")
            })
    }

    /// It ends once it was told to stop. Both moments are told, by a clock that all hosts of the machine share.
    private func registerKept() throws {
        try host.register(
            description("kept"),
            expired: { [self] task, reason in
                let key = String(decoding: task.payload, as: UTF8.self)
                History.put("told", key, "\(csys_boottime_ns())", reason.name)
                alarm(of: task.id).signal()
            },
            run: { [self] task in
                let began = csys_boottime_ns()
                let key = enter(task)
                History.put("keeps", key, "\(began)")
                alarm(of: task.id).wait()
                leave(key)
            })
    }

    private func alarm(of task: UInt64) -> DispatchSemaphore {
        alarms.withLock { alarms in
            if let alarm = alarms[task] { return alarm }
            let alarm = DispatchSemaphore(value: 0)
            alarms[task] = alarm
            return alarm
        }
    }

    private func description(
        _ name: String, places: UInt32 = 1, budget: UInt64? = nil
    ) -> HandlerDescription {
        HandlerDescription(
            identifier: Self.prefix + name, kind: .processing, budget: budget,
            maxConcurrency: places)
    }

    private func register(
        _ name: String, places: UInt32 = 1,
        _ body: @escaping @Sendable (RunningTask, String) throws -> Void
    ) throws {
        try host.register(description(name, places: places)) { [self] task in
            let key = enter(task)
            defer { leave(key) }
            try body(task, key)
        }
    }

    private func enter(_ task: RunningTask) -> String {
        let key = String(decoding: task.payload, as: UTF8.self)
        keys.withLock { $0[task.id] = key }
        History.put("run", key, "\(task.attempt)")
        plan.reached("handler-entered")
        return key
    }

    private func leave(_ key: String) {
        History.put("ran", key)
        plan.reached("handler-ended")
    }

    private func happened(_ event: HostEvent) {
        let name = event.selector.name
        guard name.hasSuffix("_done"), event.selector.arity == 2, event.task != 0,
            case .bool(let success) = event.values[0],
            let key = keys.withLock({ $0.removeValue(forKey: event.task) })
        else { return }
        History.put("done", key, "\(success)")
        plan.reached("told")
        ended.signal()
    }

    // MARK: Requests

    /// What is asked under a key, always the same.
    private func request(_ handler: String, _ key: String) -> RequestDescription {
        var description = RequestDescription(Self.prefix + handler, kind: .processing)
        description.key = key
        description.onPending = handler == "again" ? .replace : .add
        switch handler {
        case "fails": description.retry = RetryPolicy(attempts: 3, base: 1_000_000_000)
        case "later":
            description.identifier = Self.prefix + "quick"
            description.earliest = host.runtime.requests.moment.wall + Self.hour
        case "hourly":
            description.identifier = Self.prefix + "quick"
            description.earliest = host.runtime.requests.moment.wall + Self.hour
            description.repetition = Repetition(.every(UInt64(Self.hour)))
        case "nightly":
            // In the hour that there is not when clocks are set forward.
            description.identifier = Self.prefix + "quick"
            description.repetition = (try? CronSchedule("30 2 * * *")).map {
                Repetition(.cron($0, isLocal: true))
            }
        default: break
        }
        return description
    }

    /// Returns its id; nil: it was refused.
    @discardableResult
    func submit(_ handler: String, _ key: String) -> RequestID? {
        plan.reached("submit-asked")
        History.put("ask", key)
        do {
            let answer = try host.submit(request(handler, key), payload: Array(key.utf8))
            plan.reached("submit-answered")
            var (word, replaced) = ("duplicate-key", "")
            switch answer {
            case .queued(_, let ids):
                word = "queued"
                replaced = ids.map { "\($0.rawValue)" }.joined(separator: ",")
            case .duplicatePending: word = "duplicate-pending"
            case .duplicateKey: break
            }
            History.put("ack", key, "\(answer.id.rawValue)", word, replaced)
            plan.reached("submit-told")
            return answer.id
        } catch {
            History.put("refused", key, error.code.constant ?? "", error.message)
            return nil
        }
    }

    /// The handler of the n-th request of a thread. What fails waits a second, and is left out of
    /// short lives.
    static func handler(_ number: Int, of count: Int) -> String {
        switch number % 8 {
        case 3: "again"
        case 4 where count > 8: "fails"
        case 5: "late"
        case 6: "later"
        default: "quick"
        }
    }

    /// A key tells which handler is asked for.
    private static func handler(ofKey key: String) -> String {
        key.split(separator: ".").dropFirst(3).first.map {
            String($0.prefix { $0 != "+" })
        } ?? "quick"
    }

    func submitAgain(_ keys: [String]) {
        for key in keys { submit(Self.handler(ofKey: key), key) }
    }

    func submitMany(thread: Int, _ orders: Orders) {
        for number in 0..<orders.count {
            let handler = Self.handler(number, of: orders.count)
            let key = "\(orders.name).\(thread).\(number).\(handler)"
            guard let id = submit(handler, key) else {
                // The store is away: the next one shall not be refused at once.
                usleep(20_000)
                continue
            }
            guard handler == "later" else { continue }
            cancel(id, key)
        }
    }

    func cancel(_ id: RequestID, _ key: String) {
        do {
            plan.reached("cancel-asked")
            let isCancelled = try host.cancel(id)
            plan.reached("cancel-answered")
            if isCancelled { History.put("cancelled", key) }
        } catch {
            History.put("refused", key, error.code.constant ?? "", error.message)
        }
    }

    /// Nothing is pending or running any more, but for what waits an hour; those are cancelled.
    func awaitEnd() throws {
        while true {
            let left = try host.requests(in: [.pending, .running], limit: 1_000)
            let far = host.runtime.requests.moment.wall + Self.hour / 2
            for request in left where request.state == .pending && request.notBefore > far {
                cancel(request.id, request.description.key ?? "")
            }
            if left.isEmpty { return }
            _ = ended.wait(timeout: .now() + .milliseconds(20))
        }
    }
}

/// What the harness' handlers fail with.
struct Refusal: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
