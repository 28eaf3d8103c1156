// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

@Suite("Requests in the C interface")
struct RequestsTests {
    private let second: Int64 = 1_000_000_000

    @Test("a request waits for its date, is launched with its payload, and its history is kept")
    func wholeLife() throws {
        let host = try TestHost()
        let seen = Guarded<[UInt8]>([])
        try host.register { call in
            let payload = call.payload ?? []
            seen.change { $0 = payload }
            return call.fail("no more room")
        }
        let now = curfew_host_get_wall_ns(host.raw)
        let (answer, request, how, _) = host.submit(payload: [7, 8]) {
            $0.earliest_ns = now + 60 * second
        }
        #expect(answer == .ok)
        #expect(request == 1)
        #expect(Int(how) == CURFEW_SUBMISSION_QUEUED)
        #expect(host.state(request) == CURFEW_REQUEST_PHASE_PENDING)
        #expect(host.all.waits { $0.selector == "schedulingtidy_done::" })
        host.clock?.advance(60 * UInt64(second))
        try host.waitUntil("over") { host.state(request) == CURFEW_REQUEST_PHASE_FINISHED }
        #expect(seen.value == [7, 8])

        let info = try #require(host.request(request).value)
        #expect(host.text(info.identifier) == "org.example.tidy")
        #expect(info.payload_bytes == 2)
        #expect(Int(info.outcome) == CURFEW_OUTCOME_FAILED)
        #expect(info.launches == 1)
        let attempts = host.list(curfew_attempt.self, capacity: 4) {
            curfew_host_list_attempts(host.raw, request, $0, $1, $2, nil)
        }.elements
        #expect(attempts.count == 1)
        #expect(host.text(attempts[0].error) == "no more room")
        #expect(attempts[0].error_bytes == 12)
        #expect(attempts[0].started_ns == now + 60 * second)
        #expect(attempts[0].exit_status == -1 && attempts[0].exit_signal == 0)
        #expect(attempts[0].progress == -1 && attempts[0].result_bytes == 0)
        #expect(attempts[0].cpu_ns > 0 && attempts[0].user_ns == 0)
        func read(_ launch: UInt64, _ part: Int) -> (status: Answer, bytes: UInt64) {
            var bytes: UInt64 = 99
            let status = curfew_host_read_attempt(
                host.raw, request, launch, curfew_attempt_part(part), nil, 0, &bytes, nil)
            return (Answer(status), bytes)
        }
        #expect(read(1, Int(CURFEW_ATTEMPT_PART_LOG)) == (.ok, 0))
        #expect(read(1, Int(CURFEW_ATTEMPT_PART_RESULT)) == (.ok, 0))
        #expect(read(2, Int(CURFEW_ATTEMPT_PART_LOG)).status == .notFound)
        #expect(read(1, 3).status == .invalid)
        let journal = host.list(curfew_journal_entry.self, capacity: 10) {
            curfew_host_list_journal(host.raw, 0, request, $0, $1, $2, nil)
        }.elements
        #expect(
            journal.map { host.text($0.what) } == ["submitted", "launched", "ended", "finished"])
    }

    @Test("what is due sooner than all before is launched in time, on the system's clock")
    func dueSooner() throws {
        let host = try TestHost(clock: nil)
        let ran = Signal()
        try host.register { _ in
            ran.send()
            return 0
        }
        // Submitted by a thread that finds the one of requests resting for an hour.
        for delay in [3_600 * second, second / 20] {
            let earliest = curfew_host_get_wall_ns(host.raw) + delay
            let (answer, _, _, _) = host.submit {
                $0.earliest_ns = earliest
                $0.on_pending = curfew_on_pending(CURFEW_ON_PENDING_REPLACE)
            }
            #expect(answer == .ok)
        }
        #expect(ran.wait())
        #expect(host.shutDown() == .ok)
    }

    @Test("a submission from a log line of another one's turn is refused, not waited for")
    func submitFromLog() throws {
        let answers = Guarded<[curfew_status]>([])
        let place = Guarded<OpaquePointer?>(nil)
        final class Place: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let inside = Place {
            guard let raw = place.value else { return }
            answers.change {
                $0.append(curfew_host_submit(raw, "org.example.tidy", nil, nil, nil, nil))
            }
        }
        let host = try TestHost { config in
            config.log_data = Unmanaged.passUnretained(inside).toOpaque()
            config.log = { data, _, _, _, text, _ in
                guard String(cString: text).contains("Starting simulated task") else { return }
                Unmanaged<Place>.fromOpaque(data!).takeUnretainedValue().body()
            }
        }
        host.keep(inside)
        place.change { $0 = host.raw }
        try host.register { _ in 0 }
        let earliest = curfew_host_get_wall_ns(host.raw) + 3_600 * second
        #expect(host.submit { $0.earliest_ns = earliest }.answer == .ok)
        #expect(
            Answer(curfew_host_simulate_launch(host.raw, "org.example.tidy", nil, nil)) == .ok)
        #expect(answers.wait { !$0.isEmpty })
        #expect(answers.value == [curfew_status(CURFEW_WRONG_THREAD)])
        #expect(host.shutDown() == .ok)
    }

    @Test("why: what holds it back comes first, with state, source and what would change it")
    func why() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        #expect(
            Answer(
                curfew_host_override_factor(
                    host.raw, curfew_factor(CURFEW_FACTOR_NETWORK),
                    curfew_factor_value(CURFEW_FACTOR_VALUE_NO), "the cable is out", nil)) == .ok)
        let request = host.submit { $0.needs = curfew_needs(CURFEW_NEEDS_NETWORK) }.request
        let reports = host.why(request)
        #expect(reports.first?.name == "network")
        #expect(reports.filter { $0.report.holds }.count == 1)
        let report = try #require(reports.first?.report)
        #expect(host.text(report.detail) == "the cable is out")
        #expect(host.text(report.source) == "embedder")
        #expect(host.text(report.change) == "connect it to a network")
        #expect(report.since_ns == curfew_host_get_wall_ns(host.raw))
        #expect(
            Answer(
                curfew_host_clear_factor_override(
                    host.raw, curfew_factor(CURFEW_FACTOR_NETWORK), nil))
                == .ok)
        try host.waitUntil("over") { host.state(request) == CURFEW_REQUEST_PHASE_FINISHED }
        #expect(host.why(request).isEmpty)
    }

    @Test("a payload is read back while its request is kept, cut where there is no room")
    func payload() throws {
        let host = try TestHost()
        let request = host.submit(payload: [7, 8, 9]).request
        var buffer = [UInt8](repeating: 0, count: 2)
        var bytes: UInt64 = 0
        func read(_ request: curfew_request) -> Answer {
            let room = UInt64(buffer.count)
            return Answer(
                curfew_host_read_request_payload(host.raw, request, &buffer, room, &bytes, nil))
        }
        #expect(read(request) == .tooLarge)
        #expect(bytes == 3)
        #expect(buffer == [7, 8])
        buffer = [0, 0, 0, 0]
        #expect(read(request) == .ok)
        #expect(buffer == [7, 8, 9, 0])
        #expect(read(request + 1) == .notFound)
    }

    @Test("a factor has a value without a waiting request, and an event reports its changes")
    func factor() throws {
        let host = try TestHost()
        let lowPower = curfew_factor(CURFEW_FACTOR_LOW_POWER_MODE)
        var report = curfew_factor_report()
        report.struct_size = UInt32(MemoryLayout<curfew_factor_report>.size)
        #expect(Answer(curfew_host_get_factor(host.raw, lowPower, &report, nil)) == .ok)
        #expect(Int(report.value) == CURFEW_FACTOR_VALUE_UNKNOWN)
        let seen = Guarded<[String]>([])
        let number = try withExtendedLifetime(seen) { () throws -> curfew_subscription in
            var number: curfew_subscription = 0
            #expect(
                Answer(
                    curfew_host_observe(
                        host.raw, "curfew_factor::",
                        { data, event in
                            let name = String(cString: event.pointee.values[0].text!)
                            let state = event.pointee.values[1].integer
                            Unmanaged<Guarded<[String]>>.fromOpaque(data!).takeUnretainedValue()
                                .change { $0.append("\(name) \(state)") }
                        }, Unmanaged.passUnretained(seen).toOpaque(), &number, nil)) == .ok)
            return number
        }
        for state in [CURFEW_FACTOR_VALUE_NO, CURFEW_FACTOR_VALUE_NO, CURFEW_FACTOR_VALUE_YES] {
            #expect(
                Answer(
                    curfew_host_override_factor(
                        host.raw, lowPower, curfew_factor_value(state), "by hand", nil)) == .ok)
        }
        try host.waitUntil("told") { seen.value.count == 2 }
        #expect(seen.value == ["low-power-mode 0", "low-power-mode 1"])
        #expect(Answer(curfew_host_get_factor(host.raw, lowPower, &report, nil)) == .ok)
        #expect(Int(report.value) == CURFEW_FACTOR_VALUE_YES)
        #expect(host.text(report.detail) == "by hand")
        #expect(!report.holds)
        let handler = curfew_factor(CURFEW_FACTOR_HANDLER)
        #expect(Answer(curfew_host_get_factor(host.raw, handler, &report, nil)) == .invalid)
        #expect(Answer(curfew_host_unsubscribe(host.raw, number, nil)) == .ok)
    }

    @Test("a request of another kind than its handler has that kind, and the budget usual for it")
    func otherKind() throws {
        let host = try TestHost()
        let seen = Guarded<[String]>([])
        try host.register { call in
            guard let info = call.info else { return call.fail("no info") }
            seen.change { $0.append("\(info.kind) \(info.budget_ns / 1_000_000_000)") }
            return 0
        }
        for kind in [CURFEW_KIND_APP_REFRESH, CURFEW_KIND_PROCESSING] {
            let request = host.submit { $0.kind = curfew_kind(kind) }.request
            try host.waitUntil("over") { host.state(request) == CURFEW_REQUEST_PHASE_FINISHED }
        }
        #expect(seen.value.last == "2 600")
        #expect(seen.value.first?.hasPrefix("1 ") == true)
    }

    @Test("all reasons are told at once, and the earliest time that can be told")
    func allReasons() throws {
        let host = try TestHost()
        let now = curfew_host_get_wall_ns(host.raw)
        let request = host.submit { $0.earliest_ns = now + 5 * second }.request
        var names = host.why(request).filter { $0.report.holds }.map(\.name)
        #expect(names == ["handler", "date"])
        try host.register { _ in 0 }
        var earliest: Int64 = 0
        names = host.list(curfew_factor_report.self, capacity: 32) {
            curfew_host_explain_request(host.raw, request, $0, $1, $2, &earliest, nil)
        }.elements.filter(\.holds).map { host.text($0.name) }
        #expect(names == ["date"])
        #expect(earliest == now + 5 * second)
        earliest = 0
        let (answer, cut) = host.list(curfew_factor_report.self, capacity: 1) {
            curfew_host_explain_request(host.raw, request, $0, $1, $2, &earliest, nil)
        }
        #expect(answer == .tooLarge)
        #expect(cut.map { host.text($0.name) } == ["date"])
        #expect(earliest == now + 5 * second)
    }

    @Test("a kind's limit, another payload under the same key, and odd values are refused in words")
    func refusals() throws {
        var requests = curfew_request_config()
        requests.struct_size = UInt32(MemoryLayout<curfew_request_config>.size)
        requests.identifier_limit = 1
        let host = try withUnsafePointer(to: &requests) { requests in
            try TestHost { $0.requests = requests }
        }
        try host.register { _ in 0 }
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        let first = host.submit(payload: [1], key: "nightly")
        #expect(first.answer == .ok)
        let again = host.submit(payload: [1], key: "nightly")
        #expect(again.answer == .ok)
        #expect(again.request == first.request)
        #expect(Int(again.how) == CURFEW_SUBMISSION_DUPLICATE_KEY)
        let other = host.submit(payload: [2], key: "nightly")
        #expect(other.answer == .exists)
        #expect(other.text.contains("request 1 was submitted under the same key"))
        let many = host.submit()
        #expect(many.answer == Answer(curfew_status(CURFEW_TOO_MANY)))
        #expect(many.text.contains("the limit of 1 pending request of org.example.tidy is reached"))
        #expect(many.text.contains("identifier_limit"))
        for change: (inout curfew_submit_options) -> Void in [
            { $0.opportunistic = 3 }, { $0.at_most_ns = 1 }, { $0.kind = 9 }, { $0.priority = 2 },
            { $0.on_pending = 4 }, { $0.needs = 4 },
            { $0.needs = 256 }, { $0.attempts = 101 }, { $0.interval_ns = 5 },
            { $0.earliest_ns = -1 },
            {
                $0.catch_up = -1; $0.interval_ns = 60_000_000_000
            },
            {
                $0.earliest_ns = 2; $0.latest_ns = 1
            }, { $0.struct_size = 4 },
            {
                $0.attempts = 2; $0.backoff_ns = 1
            },
        ] {
            let refused = host.submit("org.example.other", change)
            #expect(refused.answer == .invalid)
            #expect(!refused.text.isEmpty)
        }
        for (text, change): (String, (inout curfew_submit_options) -> Void) in [
            ("jitter_ns is set without interval_ns or cron", { $0.jitter_ns = 1 }),
            ("catch_up is set without interval_ns or cron", { $0.catch_up = 9 }),
            ("cron_is_local is set without cron", { $0.cron_is_local = true }),
            ("backoff_ns is set without attempts", { $0.backoff_ns = 1_000_000_000 }),
            ("max_backoff_ns is set without attempts", { $0.max_backoff_ns = 1_000_000_000 }),
        ] {
            let refused = host.submit("org.example.other", change)
            #expect(refused.answer == .invalid)
            #expect(refused.text == "\(text); the request was not accepted")
        }
        #expect(host.submit("org.example.other", cron: "61 * * * *").answer == .invalid)
        #expect(host.submit("nothing").answer == .invalid)
        let large = [UInt8](repeating: 0, count: 1 << 20 + 1)
        let long: (inout curfew_submit_options) -> Void = {
            $0.kind = curfew_kind(CURFEW_KIND_PROCESSING)
        }
        #expect(host.submit("org.example.other", payload: large, long).answer == .tooLarge)
        let fits = Array(large.dropLast())
        #expect(host.submit("org.example.other", payload: fits, long).answer == .ok)
    }

    @Test("lists are read in pages, by state and identifier")
    func lists() throws {
        let host = try TestHost { $0.requests = nil }
        for index in 0..<5 {
            let kind = curfew_kind(CURFEW_KIND_PROCESSING)
            #expect(host.submit("org.example.h\(index)") { $0.kind = kind }.answer == .ok)
        }
        #expect(Answer(curfew_host_cancel_request(host.raw, 2, nil)) == .ok)
        #expect(Answer(curfew_host_cancel_request(host.raw, 2, nil)) == .already)
        #expect(Answer(curfew_host_cancel_request(host.raw, 77, nil)) == .notFound)
        var filter = curfew_request_filter()
        filter.struct_size = UInt32(MemoryLayout<curfew_request_filter>.size)
        filter.phases = 1 << UInt32(CURFEW_REQUEST_PHASE_PENDING)
        func page(_ capacity: Int) -> [curfew_request] {
            host.list(curfew_request_state.self, capacity: capacity) {
                curfew_host_list_requests(host.raw, &filter, $0, $1, $2, nil)
            }.elements.map(\.request)
        }
        #expect(page(2) == [1, 3])
        filter.after = 3
        #expect(page(10) == [4, 5])
        #expect(page(0).isEmpty)
        var count: UInt32 = 0
        #expect(Answer(curfew_host_cancel_requests(host.raw, nil, &count, nil)) == .ok)
        #expect(count == 4)
    }

    @Test("the hosts of a store are listed")
    func hosts() throws {
        let host = try TestHost { $0.requests = nil }
        let gate = Gate()
        try host.register { _ in
            try? gate.pass()
            return 0
        }
        let request = host.submit().request
        try host.waitUntil("running") { host.state(request) == CURFEW_REQUEST_PHASE_RUNNING }
        func list(after last: UInt64, _ capacity: Int) -> [curfew_store_host] {
            host.list(curfew_store_host.self, capacity: capacity) {
                curfew_host_list_hosts(host.raw, last, $0, $1, $2, nil)
            }.elements
        }
        let found = list(after: 0, 4)
        #expect(found.count == 1)
        #expect(found[0].id == 1 && found[0].own && found[0].running == 1)
        #expect(Int(found[0].phase) == CURFEW_STORE_HOST_PHASE_WORKS)
        #expect(found[0].process == getpid() && found[0].lease_ns == 0)
        #expect(found[0].since_ns == curfew_host_get_wall_ns(host.raw))
        #expect(host.text(found[0].machine) == "")
        #expect(
            list(after: 1, 4).isEmpty && list(after: .max, 4).isEmpty && list(after: 0, 0).isEmpty)
        gate.open()
    }

    @Test("a pending request is edited and launched before its date, and then retried")
    func changes() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let now = curfew_host_get_wall_ns(host.raw)
        let request = host.submit(payload: [7]) { $0.earliest_ns = now + 3_600 * second }.request
        var options = curfew_submit_options()
        options.struct_size = UInt32(MemoryLayout<curfew_submit_options>.size)
        options.needs = curfew_needs(CURFEW_NEEDS_NETWORK)
        options.priority = 1
        func edit(_ edits: Int) -> Answer? {
            Answer(curfew_host_edit_request(host.raw, request, curfew_edits(edits), &options, nil))
        }
        #expect(edit(CURFEW_EDITS_PRIORITY) == .ok)
        #expect(host.request(request).value?.priority == 1)
        #expect(host.request(request).value?.needs == 0)
        #expect(host.request(request).value?.not_before_ns == now + 3_600 * second)
        #expect(edit(1 << 8) == .invalid)
        #expect(Answer(curfew_host_retry_request(host.raw, request, nil)) == .wrongState)
        #expect(Answer(curfew_host_launch_request(host.raw, 77, nil)) == .notFound)
        for launches in 1...2 {
            let status =
                launches == 1
                ? curfew_host_launch_request(host.raw, request, nil)
                : curfew_host_retry_request(host.raw, request, nil)
            #expect(Answer(status) == .ok)
            try host.waitUntil("over") { host.state(request) == CURFEW_REQUEST_PHASE_FINISHED }
            #expect(host.request(request).value?.launches == UInt64(launches))
        }
        #expect(edit(CURFEW_EDITS_PRIORITY) == .wrongState)
        #expect(Answer(curfew_host_launch_request(host.raw, request, nil)) == .wrongState)
    }

    @Test("a handler submits its next launch first, and snoozes without using an attempt")
    func extension_() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        let attempts = Guarded<[UInt32]>([])
        try host.register("org.example.other") { _ in 0 }
        try host.register { call in
            let table = call.api.pointee.extension(call.api, CURFEW_EXT_REQUESTS)!
                .assumingMemoryBound(to: curfew_requests.self)
            let attempt = call.info?.attempt ?? 0
            attempts.change { $0.append(attempt) }
            var options = curfew_submit_options()
            options.struct_size = UInt32(MemoryLayout<curfew_submit_options>.size)
            options.earliest_ns = 4_000_000_000_000_000_000
            if attempts.value.count == 1 {
                let answer = Answer(table.pointee.snooze(call.api, call.task, 10_000_000_000, nil))
                answers.change { $0.append(answer) }
                return curfew_status(CURFEW_FAILED)
            }
            var request: curfew_request = 0
            let answer = Answer(
                table.pointee.submit(call.api, "org.example.tidy", &options, &request, nil))
            let own = table.pointee.get_request(call.api, call.task)
            answers.change { $0 += [answer, request == own + 1 ? .ok : .invalid] }
            return 0
        }
        let request = host.submit { $0.attempts = 3 }.request
        try host.waitUntil("snoozed") {
            Int(host.request(request).value?.pending_reason ?? 0) == CURFEW_PENDING_REASON_SNOOZED
        }
        host.clock?.advance(10 * UInt64(second))
        try host.waitUntil("over") { host.state(request) == CURFEW_REQUEST_PHASE_FINISHED }
        #expect(attempts.value == [1, 1])
        #expect(answers.value == [.ok, .ok, .ok])
        #expect(host.state(request + 1) == CURFEW_REQUEST_PHASE_PENDING)
    }

    @Test("a task that is no launch of a request cannot be snoozed, and belongs to none")
    func noRequest() throws {
        let host = try TestHost()
        let seen = Guarded<[UInt64]>([])
        try host.register { call in
            let table = call.api.pointee.extension(call.api, CURFEW_EXT_REQUESTS)!
                .assumingMemoryBound(to: curfew_requests.self)
            let answer = table.pointee.snooze(call.api, call.task, 1, nil)
            let request = table.pointee.get_request(call.api, call.task)
            seen.change { $0 = [UInt64(answer), request] }
            return 0
        }
        let task = try host.launch()
        try host.waitUntil("over") {
            try host.query(task).phase == curfew_task_phase(CURFEW_TASK_PHASE_OVER)
        }
        #expect(seen.value == [UInt64(CURFEW_WRONG_STATE), 0])
    }

    @Test("a store in a directory is taken up by the next host, and refused to a second one")
    func store() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        func host() throws -> TestHost {
            try path.withCString { path in try TestHost { $0.store = path } }
        }
        var first: TestHost? = try host()
        let request = try #require(first?.submit().request)
        do {
            _ = try host()
            Issue.record("a second host was let in")
        } catch let failure as TestFault {
            #expect(failure.description.contains("\(getpid())"))
        }
        #expect(first?.destroy() == .ok)
        first = nil
        let second = try host()
        #expect(second.state(request) == CURFEW_REQUEST_PHASE_PENDING)
        try second.register { _ in 0 }
        try second.waitUntil("over") { second.state(request) == CURFEW_REQUEST_PHASE_FINISHED }
        #expect(second.destroy() == .ok)
    }

    @Test("requests without a date are held back by a floor, which can be set")
    func floor() throws {
        func replacing(_ options: inout curfew_submit_options) {
            options.on_pending = curfew_on_pending(CURFEW_ON_PENDING_REPLACE)
        }
        for (floor, isHeld) in [(0, false), (1, false), (900 * second, true)] {
            var requests = curfew_request_config()
            requests.struct_size = UInt32(MemoryLayout<curfew_request_config>.size)
            requests.throttle_ns = UInt64(floor)
            requests.no_throttle = floor == 1
            let host = try withUnsafePointer(to: &requests) { requests in
                try TestHost { $0.requests = requests }
            }
            try host.register { _ in 0 }
            let first = host.submit { replacing(&$0) }.request
            try host.waitUntil("over") { host.state(first) == CURFEW_REQUEST_PHASE_FINISHED }
            let second = host.submit { replacing(&$0) }.request
            if isHeld {
                #expect(host.why(second).first?.name == "date")
                host.clock?.advance(1_000_000_000)
            }
            try host.waitUntil("over") { host.state(second) == CURFEW_REQUEST_PHASE_FINISHED }
        }
    }

    @Test("settings of people hold back, and are told; the day's budget has a balance")
    func settings() throws {
        var requests = curfew_request_config()
        requests.struct_size = UInt32(MemoryLayout<curfew_request_config>.size)
        requests.day_launches = 1
        let host = try withUnsafePointer(to: &requests) { requests in
            try TestHost { $0.requests = requests }
        }
        try host.register { _ in 0 }
        #expect(
            Answer(
                curfew_host_set_setting(
                    host.raw, nil, nil, curfew_refresh(CURFEW_REFRESH_DENIED),
                    curfew_enablement(CURFEW_ENABLEMENT_ENABLED), nil)) == .ok)
        let request = host.submit().request
        #expect(host.why(request).first?.name == "refresh-setting")
        #expect(
            Answer(
                curfew_host_set_setting(
                    host.raw, nil, nil, curfew_refresh(CURFEW_REFRESH_AVAILABLE),
                    curfew_enablement(CURFEW_ENABLEMENT_ENABLED), nil)) == .ok)
        try host.waitUntil("over") { host.state(request) == CURFEW_REQUEST_PHASE_FINISHED }
        let balance = OutStruct.filled(curfew_day_balance.self) {
            curfew_host_get_day_balance(host.raw, $0, nil)
        }.value
        #expect(balance?.limits_launches == true)
        #expect(balance?.launches == 0)
        #expect(balance?.limits_cpu == false)
        let next = host.submit {
            $0.opportunistic = curfew_opportunistic(CURFEW_OPPORTUNISTIC_CALM)
        }.request
        #expect(host.why(next).first?.name == "day-budget")
        host.clock?.advance(86_400 * UInt64(second))
        try host.waitUntil("over") { host.state(next) == CURFEW_REQUEST_PHASE_FINISHED }
    }

    @Test("a handler that was removed stays so, whatever names others try to set something for")
    func settingsOfOddNames() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        func host() throws -> TestHost {
            try path.withCString { path in try TestHost { $0.store = path } }
        }
        func remove(_ identifier: String, _ host: TestHost, plugin: Bool = false) -> Answer {
            Answer(
                curfew_host_set_setting(
                    host.raw, plugin ? identifier : nil, plugin ? nil : identifier,
                    curfew_refresh(CURFEW_REFRESH_AVAILABLE),
                    curfew_enablement(CURFEW_ENABLEMENT_REMOVED), nil))
        }
        var first: TestHost? = try host()
        if let first {
            #expect(remove("org.example.tidy", first) == .ok)
            for name in ["", " ", "a b", "a\nb", "tidy", String(repeating: "a.", count: 65)] {
                #expect(remove(name, first) == .invalid, "\(name)")
                #expect(remove(name, first, plugin: true) == .invalid, "\(name)")
            }
            #expect(first.destroy() == .ok)
        }
        first = nil
        let second = try host()
        try second.register { _ in 0 }
        let request = second.submit().request
        #expect(
            second.why(request).contains { $0.name == "enablement" && $0.report.holds },
            "\(second.why(request).map { ($0.name, $0.report.holds) })")
    }
}
