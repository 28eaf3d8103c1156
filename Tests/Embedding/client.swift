// SPDX-License-Identifier: Apache-2.0

// A program that embeds Curfew in Swift over its C interface, through what is installed and nothing
// else. It makes its own inputs, runs three plugins in one host, watches every event, and leaves
// with 0 only if all came as the headers promise.
//
//     client thread|epoll PLUGINS TEST_PLUGINS SCRATCH
//
// thread: Curfew's own thread delivers events. epoll: this program's loop does.

import CClient
import Glibc
import Synchronization

let limitNanoseconds: UInt64 = 20_000_000_000
let fileCount = 12

// MARK: - Saying what happens

let beginning = ContinuousClock.now

func say(_ text: String) {
    let milliseconds = Int((ContinuousClock.now - beginning) / .milliseconds(1))
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    // One call for one line: several threads write.
    _ = "\(milliseconds / 1000).\(fraction)  \(text)\n".withCString { write(1, $0, strlen($0)) }
}

func check(_ condition: Bool, line: Int = #line, _ text: @autoclosure () -> String) {
    guard !condition else { return }
    _ = "client.swift:\(line): \(text())\n".withCString { write(2, $0, strlen($0)) }
    exit(1)
}

/// Ends the program unless the call answered what it should.
func expect(
    _ wanted: Int, line: Int = #line,
    _ call: (UnsafeMutablePointer<curfew_error>) -> curfew_status
) {
    var error = curfew_error()
    error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
    let status = call(&error)
    check(
        Int(status) == wanted, line: line,
        "the call answered \(status) (\(String(cString: curfew_status_text(status)))) "
            + "instead of \(wanted); \(message(of: error))")
    if wanted != CURFEW_OK, error.code != 0 {
        check(error.code == status, line: line, "the error has the code \(error.code)")
    }
}

/// Returns a struct as the host filled it in. Some have pointers that are never NULL, hence no empty
/// value in Swift: they begin as zeroed memory with their size in front.
func filled<Struct>(
    line: Int = #line, _ call: (UnsafeMutablePointer<Struct>) -> curfew_status
) -> Struct {
    withUnsafeTemporaryAllocation(of: Struct.self, capacity: 1) { buffer in
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes.storeBytes(of: UInt32(bytes.count), as: UInt32.self)
        expect(CURFEW_OK, line: line) { _ in call(buffer.baseAddress!) }
        return buffer[0]
    }
}

func message(of error: curfew_error) -> String {
    withUnsafeBytes(of: error.message) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

// MARK: - What is expected

/// What is expected of one plugin's task.
struct Job: Sendable {
    var plugin: String
    var identifier: String
    var event: String
    var payload = ""
    var tellsProgress = true
    var error = ""
    var outcome = CURFEW_OUTCOME_SUCCEEDED

    var succeeds: Bool { outcome == CURFEW_OUTCOME_SUCCEEDED }
}

/// What was seen of one plugin's task.
struct Sighting {
    var task: curfew_task = 0
    var registered = 0
    var refused = 0
    var progress = 0
    var fraction = 0.0
    var expired = 0
    var done = 0
}

/// The events, as the observer of all of them saw them.
final class Transcript: Sendable {
    struct State {
        var sightings: [Sighting]
        var sequence: UInt64 = 0
        var hello = 0
    }

    let jobs: [Job]
    let state: Mutex<State>

    init(jobs: [Job]) {
        self.jobs = jobs
        state = Mutex(State(sightings: jobs.map { _ in Sighting() }))
    }

    var doneEvents: Int { state.withLock { $0.sightings.reduce(0) { $0 + $1.done } } }

    func took(_ event: curfew_event) {
        let selector = String(cString: event.selector)
        let values = UnsafeBufferPointer(start: event.values, count: Int(event.count))
            .map(Value.init)
        say("event \(event.sequence)  \(selector) (\(values))")
        state.withLock { state in
            state.sequence += 1
            check(event.sequence == state.sequence, "event \(event.sequence) is out of order")
            if selector == "client_hello:" { state.hello += 1 }
            for (at, job) in jobs.enumerated() {
                note(selector, values, event.task, job, &state.sightings[at])
            }
        }
    }

    private func note(
        _ selector: String, _ values: [Value], _ task: curfew_task, _ job: Job,
        _ sighting: inout Sighting
    ) {
        let good: Bool
        switch selector {
        case "registering\(job.event)_done::":
            good = values.count == 2 && values[0] == .bool(values[1] == .text(""))
            sighting.registered += values.first == .bool(true) ? 1 : 0
            sighting.refused += values.first == .bool(false) ? 1 : 0
        case "\(job.event)_progress::":
            let fraction = values.first?.number ?? -1
            good = values.count == 2 && (0...1).contains(fraction) && sighting.done == 0
            sighting.progress += 1
            sighting.fraction = fraction
        case "\(job.event)_expired":
            good = values.isEmpty && sighting.done == 0
            sighting.expired += 1
        case "\(job.event)_done::":
            good = values == [.bool(job.succeeds), .text(job.error)] && task == sighting.task
            sighting.done += 1
        default:
            good = true
        }
        check(good, "\(selector) is not what was expected: \(values)")
    }
}

/// An event parameter, copied.
enum Value: Hashable {
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case text(String)

    var number: Double? { if case .double(let number) = self { number } else { nil } }

    init(_ value: curfew_value) {
        switch Int(value.type) {
        case CURFEW_TYPE_BOOL: self = .bool(value.integer != 0)
        case CURFEW_TYPE_DOUBLE: self = .double(value.number)
        case CURFEW_TYPE_TEXT:
            let bytes = UnsafeRawBufferPointer(start: value.text, count: Int(value.text_bytes))
            self = .text(String(decoding: bytes, as: UTF8.self))
        default: self = .integer(value.integer)
        }
    }
}

// What Curfew calls on its own threads stands here and not in `main`, whose closures are the main
// actor's and trap anywhere else.

let takeEvent: curfew_event_function = { data, event in
    Unmanaged<Transcript>.fromOpaque(data!).takeUnretainedValue().took(event.pointee)
}

let takeLog: curfew_log_function = { _, level, plugin, _, text, length in
    let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
    let plugin = plugin.map { String(cString: $0) } ?? "curfew"
    say("log \(level)  \(plugin): \(String(decoding: bytes, as: UTF8.self))")
    check(level <= CURFEW_LOG_WARNING, "the log has an error")
}

/// The same done event once more, as a plain C function.
let directCalls = Atomic<Int>(0)
let patientDone: @convention(c) (UnsafeMutableRawPointer?, Bool, UnsafePointer<CChar>?) -> Void = {
    _, success, text in
    let text = text.map { String(cString: $0) }
    say("direct  patient_done(\(success), \(text ?? "NULL"))")
    check(!success && text == "Background task expired.", "patient_done has other parameters")
    directCalls.add(1, ordering: .relaxed)
}

// MARK: - Inputs

func makeInputs(in scratch: String) -> (database: String, from: String, to: String) {
    let database = "\(scratch)/notes.db"
    let script = """
        create table note(id integer primary key, text text not null);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
            insert into note(text) select hex(randomblob(64)) from n;
        delete from note where id % 3 = 0;
        """
    var connection: OpaquePointer?
    check(sqlite3_open(database, &connection) == SQLITE_OK, "\(database) cannot be made")
    check(sqlite3_exec(connection, script, nil, nil, nil) == SQLITE_OK, "\(database): script")
    sqlite3_close(connection)

    let from = "\(scratch)/from"
    check(mkdir(from, 0o755) == 0, "\(from) cannot be made")
    for number in 0..<fileCount {
        let file = fopen("\(from)/file-\(number).txt", "w")
        check(file != nil, "a file in \(from) cannot be made")
        for line in 0..<200 * number { fputs("line \(line)\n", file!) }
        check(fclose(file!) == 0, "a file in \(from) cannot be written")
    }
    return (database, from, "\(scratch)/to")
}

/// The plugins did what they are for: every file has its copy.
func checkWork(from: String, to: String) {
    for number in 0..<fileCount {
        var one = stat()
        var other = stat()
        check(stat("\(from)/file-\(number).txt", &one) == 0, "original \(number) is gone")
        check(stat("\(to)/file-\(number).txt", &other) == 0, "file \(number) has no copy")
        check(one.st_size == other.st_size, "copy \(number) has another size")
    }
}

// MARK: - Signals

/// The actions of all signals: a library has no business with any. One bit is left out that tells
/// only that the C library has set the action some time, were it to what it was before.
func signalActions() -> [[Int]] {
    (1..<65).map { number in
        var action = sigaction()
        guard sigaction(Int32(number), nil, &action) == 0 else { return [] }
        let function = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return [function, Int(action.sa_flags & ~0x0400_0000)]
    }
}

let heard = Atomic<Int32>(0)

func installHandlers() {
    var mine = sigaction()
    mine.__sigaction_handler.sa_handler = { number in
        // Nobody raises it here: it is a real one, and returning would bring it again.
        if number == SIGSEGV { _exit(3) }
        heard.store(number, ordering: .relaxed)
    }
    mine.sa_flags = SA_RESTART
    check(sigaction(SIGSEGV, &mine, nil) == 0, "SIGSEGV has no handler")
    check(sigaction(SIGUSR1, &mine, nil) == 0, "SIGUSR1 has no handler")
}

// MARK: - The host

/// One host with its plugins.
struct Client {
    let host: OpaquePointer
    let jobs: [Job]
    let transcript: Transcript

    func load(_ job: Job, from directory: String) {
        let path = "\(directory)/\(job.plugin)"
        expect(CURFEW_OK) { curfew_host_load_plugin(host, path, $0) }
        // Once is enough; what is there stays.
        expect(CURFEW_EXISTS) { curfew_host_load_plugin(host, path, $0) }

        var index: UInt32 = 0
        expect(CURFEW_OK) { _ in curfew_host_find_handler(host, job.identifier, &index, nil) }
        let handler: curfew_handler_state = filled { curfew_host_get_handler(host, index, $0, nil) }
        check(String(cString: handler.identifier) == job.identifier, "another handler")
        check(String(cString: handler.event) == job.event, "another event than \(job.event)")
        say("loaded  \(path)")
    }

    /// Launches a job whose handler is paused meanwhile, so that no event about the task comes
    /// before its id is noted.
    func launch(_ at: Int) {
        let job = jobs[at]
        expect(CURFEW_OK) { _ in curfew_host_pause_handler(host, job.identifier, nil) }
        var task: curfew_task = 0
        job.payload.utf8CString.withUnsafeBytes { payload in
            var options = curfew_launch_options()
            options.struct_size = UInt32(MemoryLayout<curfew_launch_options>.size)
            options.keep = true
            options.payload = payload.baseAddress
            options.payload_bytes = UInt64(payload.count - 1)
            expect(CURFEW_OK) { curfew_host_launch(host, job.identifier, &options, &task, $0) }
        }
        check(task != 0, "no task id for \(job.identifier)")
        transcript.state.withLock { $0.sightings[at].task = task }
        check(state(of: task).phase == CURFEW_TASK_PHASE_QUEUED, "\(job.identifier) is not queued")
        say("launched  \(job.identifier) \(job.payload)")
        expect(CURFEW_OK) { _ in curfew_host_resume_handler(host, job.identifier, nil) }
    }

    func state(of task: curfew_task) -> curfew_task_state {
        filled { curfew_host_get_task(host, task, $0, nil) }
    }

    func task(_ at: Int) -> curfew_task { transcript.state.withLock { $0.sightings[at].task } }

    func turnOwnLoop() {
        let descriptor = curfew_host_get_event_fd(host)
        check(descriptor >= 0, "there is no descriptor to wait on")
        let poller = epoll_create1(0)
        check(poller >= 0, "epoll_create1")
        defer { close(poller) }
        var interest = epoll_event()
        interest.events = EPOLLIN.rawValue
        check(epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &interest) == 0, "epoll_ctl")
        var rounds = 0
        while transcript.doneEvents < jobs.count {
            var ready = epoll_event()
            let count = epoll_wait(poller, &ready, 1, 20_000)
            if count < 0, errno == EINTR { continue }
            check(count == 1, "no event came in time")
            var delivered: UInt32 = 0
            expect(CURFEW_OK) { _ in curfew_host_dispatch(host, 8, &delivered, nil) }
            check(delivered <= 8, "\(delivered) events delivered where 8 was the limit")
            rounds += 1
        }
        say("loop  turned \(rounds) times")
    }

    func waitForCurfewsLoop() {
        check(curfew_host_get_event_fd(host) == -1, "there is a descriptor to wait on")
        expect(CURFEW_WRONG_STATE) { _ in curfew_host_dispatch(host, 0, nil, nil) }
        for at in jobs.indices {
            let task = task(at)
            expect(CURFEW_OK) { _ in curfew_host_wait_task(host, task, limitNanoseconds, nil, nil) }
        }
    }

    func checkEnd(_ at: Int) {
        let job = jobs[at]
        let task = task(at)
        let state = state(of: task)
        check(state.phase == CURFEW_TASK_PHASE_OVER, "\(job.identifier) is in phase \(state.phase)")
        check(Int(state.outcome) == job.outcome, "\(job.identifier): outcome \(state.outcome)")
        if job.outcome == CURFEW_OUTCOME_EXPIRED {
            check(
                Int(state.reason) == CURFEW_REASON_BUDGET && state.answered,
                "\(job.identifier): reason \(state.reason), answered \(state.answered)")
        }
        let error = read { curfew_host_read_task_error(host, task, $0, $1, $2, nil) }
        check(error == job.error, "\(job.identifier) has the error \(error)")
        let result = read { curfew_host_read_task_result(host, task, $0, $1, $2, nil) }
        check(result.utf8.count == Int(state.result_bytes), "\(job.identifier): two lengths")
        say("over  \(job.identifier); result: \(result)")
        expect(CURFEW_ALREADY) { _ in curfew_host_cancel_task(host, task, nil) }
        expect(CURFEW_OK) { _ in curfew_host_release_task(host, task, nil) }
    }

    private func read(
        _ call: (UnsafeMutablePointer<CChar>, UInt64, UnsafeMutablePointer<UInt64>) -> curfew_status
    ) -> String {
        var length: UInt64 = 0
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            expect(CURFEW_OK) { _ in
                call(buffer.baseAddress!, UInt64(buffer.count), &length)
            }
            let bytes = UnsafeRawBufferPointer(buffer).prefix(Int(length))
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// An event of this program's own, taken by an expectation.
    func raiseAndCollect() {
        var expectation: curfew_subscription = 0
        expect(CURFEW_OK) { _ in
            curfew_host_expect_event(host, "client_hello:", 0, nil, &expectation, nil)
        }
        "hello".withCString { text in
            var value = curfew_value()
            value.struct_size = UInt32(MemoryLayout<curfew_value>.size)
            value.type = curfew_type(CURFEW_TYPE_TEXT)
            value.text = text
            value.text_bytes = 5
            expect(CURFEW_OK) { _ in curfew_host_raise_event(host, "client_hello:", &value, 1, nil)
            }
        }
        var event: UnsafeMutablePointer<curfew_event>?
        expect(CURFEW_OK) { _ in
            curfew_host_collect_event(host, expectation, limitNanoseconds, &event, nil)
        }
        check(event?.pointee.count == 1, "client_hello has other parameters")
        check(event.map { Value($0.pointee.values[0]) } == .text("hello"), "client_hello: text")
        curfew_event_free(event)
    }

    func checkAllWasSeen() {
        let seen = transcript.state.withLock { $0 }
        for (job, sighting) in zip(jobs, seen.sightings) {
            check(sighting.registered == 1, "\(job.plugin): registered \(sighting.registered)")
            check(sighting.refused <= 1, "\(job.plugin): refused \(sighting.refused) times")
            check(sighting.done == 1, "\(job.plugin): \(sighting.done) done events")
            check(sighting.expired == (job.succeeds ? 0 : 1), "\(job.plugin): \(sighting.expired)")
            check((sighting.progress > 0) == job.tellsProgress, "\(job.plugin): progress")
            check(!job.tellsProgress || sighting.fraction == 1, "\(job.plugin): did not reach 1")
        }
        check(seen.hello == 1, "client_hello was seen \(seen.hello) times")
        check(directCalls.load(ordering: .relaxed) == 1, "patient_done was not called once")

        let counts: curfew_counts = filled { curfew_host_get_counts(host, $0, nil) }
        check(counts.launched == UInt64(jobs.count), "\(counts.launched) tasks launched")
        check(counts.events_lost == 0, "\(counts.events_lost) events lost")
        check(counts.contract_violations == 0, "\(counts.contract_violations) rules broken")
        check(counts.events_delivered == seen.sequence, "\(counts.events_delivered) delivered")
    }
}

@main enum Program {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, ["thread", "epoll"].contains(arguments[1]) else {
            print("usage: client thread|epoll PLUGINS TEST_PLUGINS SCRATCH")
            exit(2)
        }
        let ownLoop = arguments[1] == "epoll"
        check(
            String(cString: curfew_version()) == CURFEW_VERSION_STRING,
            "the library and its headers differ")
        check(Int(curfew_abi_version()) == CURFEW_ABI_VERSION, "the ABI numbers differ")
        installHandlers()
        let actions = signalActions()

        let (database, from, to) = makeInputs(in: arguments[4])
        let jobs = [
            Job(
                plugin: "sqlite-care", identifier: "org.curfew.sqlite-care", event: "sqlite_care",
                payload: #"{"database": "\#(database)", "snapshot": "\#(database).copy"}"#),
            Job(
                plugin: "mirror", identifier: "org.curfew.mirror", event: "mirror",
                payload: #"{"from": "\#(from)", "to": "\#(to)"}"#),
            Job(
                plugin: "patient", identifier: "org.curfew.test.patient", event: "patient",
                tellsProgress: false, error: "Background task expired.",
                outcome: CURFEW_OUTCOME_EXPIRED),
        ]
        let transcript = Transcript(jobs: jobs)

        var config = curfew_host_config()
        config.struct_size = UInt32(MemoryLayout<curfew_host_config>.size)
        config.manual_dispatch = ownLoop
        config.log = takeLog
        var made: OpaquePointer?
        expect(CURFEW_OK) { curfew_host_create(&config, &made, $0) }
        let client = Client(host: made!, jobs: jobs, transcript: transcript)
        let host = client.host

        let observer = Unmanaged.passUnretained(transcript).toOpaque()
        expect(CURFEW_OK) { curfew_host_observe(host, nil, takeEvent, observer, nil, $0) }
        for job in jobs.dropLast() { client.load(job, from: arguments[2]) }
        client.load(jobs[jobs.count - 1], from: arguments[3])
        expect(CURFEW_OK) {
            let function = unsafeBitCast(patientDone, to: curfew_any_function.self)
            return curfew_host_subscribe(host, "patient_done::", function, nil, nil, $0)
        }
        for at in jobs.indices { client.launch(at) }
        if ownLoop { client.turnOwnLoop() } else { client.waitForCurfewsLoop() }
        for at in jobs.indices { client.checkEnd(at) }
        checkWork(from: from, to: to)
        client.raiseAndCollect()

        expect(CURFEW_OK) { curfew_host_shutdown(host, nil, $0) }
        expect(CURFEW_OK) { _ in curfew_host_dispatch(host, 0, nil, nil) }
        expect(CURFEW_CLOSING) { curfew_host_launch(host, jobs[0].identifier, nil, nil, $0) }
        let first = client.task(0)
        expect(CURFEW_STALE) { _ in curfew_host_release_task(host, first, nil) }
        client.checkAllWasSeen()
        expect(CURFEW_OK) { curfew_host_destroy(host, nil, $0) }
        check(curfew_get_leaked_host_count() == 0, "the host left a thread behind")

        check(signalActions() == actions, "the action of a signal was changed")
        raise(SIGUSR1)
        check(heard.load(ordering: .relaxed) == SIGUSR1, "SIGUSR1 was raised and not heard")
        withExtendedLifetime(transcript) {}
        say("good")
    }
}
