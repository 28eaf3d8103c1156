// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// What a plugin's author reads in the log when a plugin breaks a rule: one line each.
@Suite("Violations")
struct ViolationTests {
    /// The lines of violations so far, without their level; `N` stands for the task.
    private func lines(_ host: TestHost, _ task: curfew_task = 0) -> [String] {
        let mark = "\(CURFEW_LOG_CONTRACT_VIOLATION) "
        return host.log.value.filter { $0.hasPrefix(mark) }.map {
            String($0.dropFirst(mark.count)).replacing("task \(task):", with: "task N:")
        }
    }

    /// A host with a pending task.
    private func pending(
        events: [String] = [], configure: (inout curfew_host_config) -> Void = { _ in }
    ) throws -> (host: TestHost, call: RunCall) {
        let host = try TestHost(configure: configure)
        try host.register(events: events) { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        return (host, host.call(task))
    }

    @Test("events: undeclared, the host's own, of other types, with names that are none")
    func events() throws {
        let (host, call) = try pending(events: ["tidy_step(int32)"])
        _ = call.raise("tidied", [.text("a"), .bool(true)])
        _ = call.raise("tidy_step", [.int32(1), .int32(2)])
        _ = call.raise("tidy_done", [.bool(true), .text("")])
        _ = call.raise("curfew_gap", [.int64(1)])
        _ = call.raise("tidy_step", [.text("1")])
        _ = call.raise("Tidy\n", [])
        #expect(
            lines(host, call.task) == [
                #"CF0704 undeclared-event: "org.example.tidy" raised "tidied::" in task N: its manifest does not declare it; nothing was raised"#,
                #"CF0704 undeclared-event: "org.example.tidy" raised "tidy_step::" in task N: its manifest declares "tidy_step:", with another number of parameters; nothing was raised"#,
                #"CF0706 host-event: "org.example.tidy" raised "tidy_done::" in task N: only the host raises it; nothing was raised"#,
                #"CF0706 host-event: "org.example.tidy" raised "curfew_gap:" in task N: only the host raises it; nothing was raised"#,
                #"CF0705 event-types: "org.example.tidy" raised "tidy_step:" with (text) in task N: its manifest declares (int32); nothing was raised"#,
                #"CF0703 event-name: "org.example.tidy" raised "Tidy\n" with 0 parameters in task N: no event can have that name, or so many; nothing was raised"#,
            ])
        #expect(host.counts.contract_violations == 6)
    }

    @Test("values of events that cannot be read say which and why")
    func values() throws {
        let (host, call) = try pending(events: ["tidy_step(int32)"])
        func raise(_ change: (inout curfew_value) -> Void) {
            var value = curfew_value()
            value.struct_size = UInt32(MemoryLayout<curfew_value>.size)
            value.type = curfew_type(CURFEW_TYPE_INT32)
            change(&value)
            _ = call.api.pointee.raise(call.api, call.task, "tidy_step", &value, 1)
        }
        raise { $0.type = 9 }
        raise { $0.integer = 1 << 40 }
        raise { $0.type = curfew_type(CURFEW_TYPE_TEXT) }
        raise { $0.struct_size = 7 }
        _ = call.api.pointee.raise(call.api, call.task, "tidy_step", nil, 1)
        let said = lines(host, call.task).map { $0.split(separator: "task N: ").last ?? "" }
        #expect(
            said == [
                "parameter 1 has the unknown type 9; nothing was raised",
                "parameter 1 is 1099511627776, which is no int32; nothing was raised",
                "parameter 1 is a text that is NULL; nothing was raised",
                "curfew_value.struct_size is 7, that of no version; nothing was raised",
                "the parameters are NULL, and 1 were announced; nothing was raised",
            ])
    }

    @Test("a flood of events is told once for each gap, not for each event")
    func flood() throws {
        let host = try TestHost(ownLoop: true) { $0.event_limit = 4 }
        try host.register(events: ["tidy_step()"]) { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        let call = host.call(task)
        for _ in 0..<2 {
            var lost = 0
            for _ in 0..<100 where call.raise("tidy_step") == .busy { lost += 1 }
            #expect(lost > 90)
            _ = host.dispatch()
        }
        let expected =
            #"CF0707 event-flood: "org.example.tidy" raised "tidy_step" in task N: the queue of events is full: it has 4, or 64 MiB of texts; this one is lost, and others are until there is room"#
        #expect(lines(host, task) == [expected, expected])
        #expect(host.counts.contract_violations == 2)
    }

    @Test("progress, results and completions that mean nothing")
    func arguments() throws {
        let (host, call) = try pending { $0.max_result_bytes = 4 }
        _ = call.progress(1.5)
        _ = call.complete(CURFEW_PENDING)
        _ = call.api.pointee.complete(call.api, call.task, 0, nil, 0, nil, 5)
        _ = call.complete(result: [1, 2, 3, 4, 5])
        withUnsafeTemporaryAllocation(of: curfew_task_info.self, capacity: 1) { info in
            info[0].struct_size = 3
            _ = call.api.pointee.task_info(call.api, call.task, info.baseAddress!)
        }
        #expect(
            lines(host, call.task) == [
                #"CF0708 progress-range: "org.example.tidy" reported progress 1.5 in task N: it is a fraction in 0…1; what was known before stays"#,
                #"CF0709 completion-arguments: "org.example.tidy" called complete with CURFEW_PENDING in task N: it is not completed"#,
                #"CF0709 completion-arguments: "org.example.tidy" called complete with a NULL result of 5 bytes in task N: it is not completed"#,
                #"CF0710 result-size: "org.example.tidy" called complete with a result of 5 bytes in task N: the limit is 4; it is not completed"#,
                #"CF0713 struct-size: "org.example.tidy" called task_info in task N: curfew_task_info.struct_size is 3, that of no version; nothing was filled in"#,
            ])
    }

    @Test("texts that are NULL, no UTF-8 or too long are taken, and told")
    func texts() throws {
        let (host, call) = try pending(events: ["tidy_step(text)"])
        let long = [CChar](repeating: 97, count: 70_000)
        let broken: [CChar] = [97, -30, -104, 0]
        let (api, task) = (call.api, call.task)
        #expect(api.pointee.progress(api, task, 0.5, nil, 5) == CURFEW_OK)
        #expect(api.pointee.progress(api, task, 0.5, broken, 3) == CURFEW_OK)
        #expect(api.pointee.progress(api, task, 0.5, long, 1_025) == CURFEW_OK)
        #expect(api.pointee.progress(api, task, 0.5, long, 1_024) == CURFEW_OK)
        broken.withUnsafeBufferPointer { text in
            var value = curfew_value()
            value.struct_size = UInt32(MemoryLayout<curfew_value>.size)
            value.type = curfew_type(CURFEW_TYPE_TEXT)
            (value.text, value.text_bytes) = (text.baseAddress!, 3)
            #expect(api.pointee.raise(api, task, "tidy_step", &value, 1) == CURFEW_OK)
        }
        #expect(
            api.pointee.complete(api, task, curfew_status(CURFEW_FAILED), long, 65_537, nil, 0)
                == CURFEW_OK)
        #expect(
            lines(host, call.task) == [
                #"CF0711 malformed-text: "org.example.tidy" reported progress in task N: the text is NULL and has 5 bytes; it is taken as empty"#,
                #"CF0711 malformed-text: "org.example.tidy" reported progress in task N: the text is not UTF-8; it was repaired with U+FFFD"#,
                #"CF0712 long-text: "org.example.tidy" reported progress in task N: the text has 1025 bytes; the first 1024 are kept"#,
                #"CF0711 malformed-text: "org.example.tidy" raised "tidy_step:" in task N: the text is not UTF-8; it was repaired with U+FFFD"#,
                #"CF0712 long-text: "org.example.tidy" called complete in task N: the text has 65537 bytes; the first 65536 are kept"#,
            ])
    }

    @Test("a message that is no text is told with the function that returned")
    func message() throws {
        let host = try TestHost()
        try host.register { call in
            if let error = call.error {
                withUnsafeMutableBytes(of: &error.pointee.message) { $0[0] = 0xFF }
            }
            return curfew_status(CURFEW_FAILED)
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.shutDown(leave: .second) == .ok)
        #expect(
            lines(host, task) == [
                #"CF0711 malformed-text: "org.example.tidy" returned CURFEW_FAILED in task N: its message is not UTF-8 or has no NUL at its end; it was repaired"#
            ])
    }

    // MARK: Completion

    @Test("a second completion is told; one after the function's result too")
    func completedTwice() throws {
        let host = try TestHost()
        try host.register { call in
            #expect(call.complete() == .ok)
            #expect(call.complete() == .already)
            return 0
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        try host.waitUntil("returned") { try host.query(task).returned }
        #expect(host.call(task).complete() == .already)
        let expected =
            #"CF0701 completed-twice: "org.example.tidy" called complete in task N: it was completed before; the first answer stands"#
        #expect(lines(host, task) == [expected, expected])
    }

    @Test("callback and function may both answer an expiration: no violation")
    func bothAnswer() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let answers = Guarded<[Answer]>([])
        try host.register(
            expired: { call, _ in
                let answer = call.complete()
                answers.change { $0.append(answer) }
                stuck.go.send()
            },
            run: stuck.run { call in
                let answer = call.complete()
                answers.change { $0.append(answer) }
                return 0
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.cancel(task) == .ok)
        #expect(host.wait(task) == .ok)
        #expect(answers.wait { $0.count == 2 })
        #expect(Set(answers.value) == [.late, .already])
        #expect(host.counts.contract_violations == 0)
    }

    @Test("an answer after the grace is no violation, and told as what it is")
    func late() throws {
        let host = try TestHost()
        let stuck = Stuck()
        try host.register(
            run: stuck.run { call in
                _ = call.complete()
                return 0
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        host.clock?.advance(2 * .second)
        stuck.go.send()
        try host.waitUntil("returned") { try host.query(task).returned }
        #expect(host.log.wait { $0.count >= 2 })
        #expect(host.counts.contract_violations == 0)
        let level = CURFEW_LOG_INFO
        #expect(
            host.log.value.map { $0.replacing("task \(task):", with: "task N:") } == [
                #"\#(level) CF0004 expired: "org.example.tidy" called complete in task N: its grace was over and the host had answered for it; this answer is not taken"#,
                #"\#(level) CF0004 expired: "org.example.tidy" returned in task N: its grace was over and the host had answered for it; what it returned is not taken"#,
            ])
    }

    @Test("a completion of a task that is gone is told, and no violation: it may have been a race")
    func stale() throws {
        let (host, call) = try pending()
        #expect(host.release(call.task) == .ok)
        #expect(call.complete() == .ok)
        try host.waitUntil("gone") { host.queryAnswer(call.task) == .stale }
        #expect(call.complete() == .stale)
        #expect(host.counts.contract_violations == 0)
        #expect(
            host.log.value == [
                "\(CURFEW_LOG_INFO) CF0006 stale: the embedder called complete for task \(call.task): it is over and its last reference is gone; this answer is not taken"
            ])
    }

    @Test("a pending task that is let go is abandoned, and a lost worker is told")
    func abandonedAndLost() throws {
        let (host, call) = try pending()
        #expect(call.release() == .ok)
        #expect(
            lines(host, call.task) == [
                #"CF0723 abandoned-task: "org.example.tidy" released its last reference in task N: it was pending and is not completed; it is abandoned"#
            ])
        let other = try TestHost(workers: 1) { $0.lost_after_ns = .second }
        let stuck = Stuck()
        try other.register(run: stuck.run { _ in 0 })
        let task = try other.launch()
        #expect(stuck.entered.wait())
        other.clock?.advance(3 * .second)
        #expect(
            lines(other, task) == [
                #"CF0724 lost-worker: "org.example.tidy" did not return within 1.0 s after its grace in task N: its worker is lost and the handler quarantined; release the handler once it is mended"#
            ])
        stuck.go.send()
    }

    // MARK: References

    @Test("references: none to release, too many, held for ever")
    func references() throws {
        let host = try TestHost()
        try host.register { call in
            #expect(call.release() == .wrongState)
            for _ in 0..<60 { #expect(call.keep() == .ok) }
            #expect(call.keep() == .exhausted)
            for _ in 0..<58 { #expect(call.release() == .ok) }
            return 0
        }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(host.destroy() == .ok)
        #expect(
            lines(host, task) == [
                #"CF0718 unkept-release: "org.example.tidy" called release in task N: it holds no reference but its function's own, which is the host's; nothing was dropped"#,
                #"CF0719 reference-limit: "org.example.tidy" called keep in task N: it holds 60 references already; none was taken"#,
                #"CF0720 kept-reference: "org.example.tidy" holds 2 references in task N: the host goes, and the plugin's table is kept for the life of the process"#,
            ])
    }

    @Test("calls for tasks that are gone, and for those of another plugin, name the plugin")
    func unreachable() throws {
        let host = try TestHost()
        let table = Guarded<UnsafePointer<curfew_host_api>?>(nil)
        let plugin = try HookedPlugin { api, _, error in
            table.change { $0 = api }
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(plugin.load(in: host).answer == .ok)
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        let call = RunCall(api: try #require(table.value), task: task)
        let none = RunCall(api: call.api, task: task ^ 1 << 40)
        for answer in [
            none.keep(), none.release(), none.progress(0.5), none.raise("hooked_step"), call.keep(),
            call.complete(),
        ] { #expect(answer == .stale) }
        #expect(none.info == nil)
        // These ask, and are answered.
        #expect(none.isExpired && none.remaining == 0)
        let stale = ["keep", "release", "progress", "raise"].map {
            #"[org.example.hooked] CF0721 stale-task: "org.example.hooked" called \#($0) for task \#(none.task): it is over and its last reference is gone, or there never was one; nothing happened"#
        }
        let foreign = ["keep", "complete"].map {
            #"[org.example.hooked] CF0722 foreign-task: "org.example.hooked" called \#($0) for task \#(task): it is a task of another plugin; nothing happened"#
        }
        #expect(lines(host).count == 7)
        #expect(Array(lines(host).prefix(6)) == stale + foreign)
        #expect(lines(host).last?.contains("called task_info for task \(none.task): ") == true)
        #expect(host.call(task).complete() == .ok)
    }

    // MARK: Registration

    @Test("registrations outside the manifest, twice, of another's name, without what they need")
    func registrations() throws {
        let host = try TestHost()
        try host.register("org.example.taken") { _ in 0 }
        let table = Guarded<UnsafePointer<curfew_host_api>?>(nil)
        let plugin = try HookedPlugin { api, _, error in
            table.change { $0 = api }
            let register = { HookedPlugin.register($0, api, error) }
            #expect(register("org.example.other") == CURFEW_DENIED)
            #expect(register("org.example.taken") == CURFEW_DENIED)
            #expect(register("org.example.hooked") == CURFEW_OK)
            #expect(register("org.example.hooked") == CURFEW_EXISTS)
            let size = HookedPlugin.register("org.example.hooked", api, error) {
                $0.struct_size = 7
            }
            #expect(size == CURFEW_INVALID)
            let empty = HookedPlugin.register("org.example.hooked", api, error) { $0.run = nil }
            #expect(empty == CURFEW_INVALID)
            // Another thread is outside of the entry.
            nonisolated(unsafe) let api = api
            let side = Side { HookedPlugin.register("org.example.hooked", api) }
            #expect(side.join() == curfew_status(CURFEW_WRONG_STATE))
            return 0
        }
        // It has more than its manifest says.
        #expect(plugin.load(in: host).answer == .refused)
        let api = try #require(table.value)
        #expect(HookedPlugin.register("org.example.hooked", api) == CURFEW_CLOSING)
        let start = #"[org.example.hooked] "#
        let who = #": "org.example.hooked" called register_handler: "#
        let late =
            start + "CF0702 late-registration" + who
            + "handlers are registered inside curfew_plugin_entry only; nothing was registered"
        #expect(
            lines(host) == [
                start + "CF0715 undeclared-handler" + who
                    + #""org.example.other" is not in the plugin's manifest; declare it under "handlers"; nothing was registered"#,
                start + "CF0716 taken-handler" + who
                    + #""org.example.taken" is not in the plugin's manifest; it belongs to the embedder; nothing was registered"#,
                start + "CF0717 registered-twice" + who
                    + #""org.example.hooked" was registered before; nothing was registered"#,
                start + "CF0713 struct-size" + who
                    + "curfew_handler.struct_size is not that of any version of the struct; set it to sizeof(curfew_handler)",
                start + "CF0714 handler-arguments" + who
                    + #"curfew_handler.run of "org.example.hooked" is NULL"#,
                late,
            ])
    }

    // MARK: Callbacks

    @Test("an expiration callback that outlasts the grace is told, while it does and only once")
    func slowCallback() throws {
        let host = try TestHost(clock: nil)
        let callback = Stuck()
        host.keep(callback)
        try host.register(
            budget: .millisecond, grace: 200 * .millisecond,
            expired: { _, _ in
                callback.entered.send()
                _ = callback.go.wait()
            }
        ) { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        #expect(callback.entered.wait())
        #expect(host.log.wait { !$0.isEmpty })
        let expected =
            #"CF0725 slow-callback: "org.example.tidy" has not returned from its expiration callback in task N: its grace is over, and a thread that watches deadlines was kept as long"#
        #expect(lines(host, task) == [expected])
        callback.go.send()
        #expect(host.shutDown(leave: .second) == .ok)
        #expect(lines(host, task) == [expected])
    }

    @Test("one whose task has answered is told when it returns")
    func slowCallbackOfAnswered() throws {
        let host = try TestHost(clock: nil)
        let callback = Stuck()
        host.keep(callback)
        try host.register(
            budget: .millisecond, grace: 100 * .millisecond,
            expired: { call, _ in
                _ = call.complete()
                callback.entered.send()
                _ = callback.go.wait()
            }
        ) { _ in curfew_status(CURFEW_PENDING) }
        // Its budget is the time that passes meanwhile.
        try host.register(
            "org.example.timer", budget: 150 * .millisecond,
            expired: { call, _ in
                _ = call.complete()
                callback.go.send()
            }
        ) { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        #expect(callback.entered.wait())
        #expect(host.wait(try host.launch("org.example.timer")) == .ok)
        #expect(host.log.wait { !$0.isEmpty })
        #expect(
            lines(host, task) == [
                #"CF0725 slow-callback: "org.example.tidy" has returned from its expiration callback only now in task N: its grace is over, and a thread that watches deadlines was kept as long"#
            ])
    }

    // MARK: Many

    @Test("a rule that is broken again and again is told eight times, then at powers of two")
    func often() throws {
        let (host, call) = try pending()
        for _ in 0..<5_000 { _ = call.progress(2) }
        let said = lines(host, call.task)
        #expect(said.count == 8 + 9)
        #expect(said.prefix(8).allSatisfy { $0 == said[0] })
        #expect(!said[0].contains("so far"))
        #expect(
            said.dropFirst(8).map { $0.dropFirst(said[0].count) } == [
                "; 16 times so far", "; 32 times so far", "; 64 times so far", "; 128 times so far",
                "; 256 times so far", "; 512 times so far", "; 1,024 times so far",
                "; 2,048 times so far", "; 4,096 times so far",
            ])
        #expect(host.counts.contract_violations == 5_000)
        // Each rule, and each plugin, is counted by itself.
        _ = call.raise("tidied")
        #expect(lines(host).count == 18)
    }

    @Test("many threads that break a rule at once are all counted")
    func together() throws {
        let (host, call) = try pending()
        let sides = (0..<4).map { _ in
            Side { for _ in 0..<1_000 { _ = call.progress(.nan) } }
        }
        for side in sides { _ = side.join() }
        #expect(host.counts.contract_violations == 4_000)
        #expect(lines(host).count == 8 + 8)
    }
}
