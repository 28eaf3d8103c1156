// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// Handlers of the embedder's own, and the configuration of a host.
@Suite("Registering and configuring")
struct RegisteringTests {
    @Test("a handler's identifier and the names of its events are taken once")
    func duplicates() throws {
        let host = try TestHost()
        #expect(host.tryRegister("org.example.tidy").answer == .ok)
        let (answer, text) = host.tryRegister("org.example.tidy", event: "other")
        #expect(answer == .exists)
        #expect(text.contains("org.example.tidy"))
        #expect(host.tryRegister("com.example.tidy").answer == .exists)
        #expect(host.tryRegister("com.example.tidy", event: "tidy2").answer == .ok)
        #expect(host.tryRegister("org.example.a", events: ["tidy_step()"]).answer == .ok)
        #expect(host.tryRegister("org.example.b", events: ["tidy_step()"]).answer == .exists)
        #expect(host.tryRegister("org.example.b", events: ["tidy_step(bool)"]).answer == .ok)
        #expect(
            host.tryRegister("org.example.c", events: ["tidy_done(bool,text)"]).answer == .exists)
        #expect(curfew_host_get_handler_count(host.raw) == 4)
    }

    @Test(
        "the host's own names, and the same event twice, cannot be declared",
        arguments: [
            ["mine_done(bool,text)"], ["mine_progress(double,text)"], ["mine_expired()"],
            ["registeringmine_done(bool,text)"], ["curfew_gap(int64)"], ["curfew_other()"],
            ["mine_step()", "mine_step()"], ["mine_done(int32,int32)"],
        ])
    func ownNames(events: [String]) throws {
        let host = try TestHost()
        let answer = host.tryRegister("org.example.mine", events: events).answer
        #expect(answer == .invalid || answer == .exists)
        #expect(curfew_host_get_handler_count(host.raw) == 0)
        // Nothing of it stays.
        #expect(host.tryRegister("org.example.mine", events: ["mine_done()"]).answer == .ok)
    }

    @Test(
        "identifiers that are none",
        arguments: [
            "", "tidy", ".", "org.", ".tidy", "org..tidy", "org.example.tidy ", "org/example.tidy",
            "org.exämple.tidy", String(repeating: "a.", count: 64) + "a",
        ])
    func identifiers(identifier: String) throws {
        let host = try TestHost()
        #expect(host.tryRegister(identifier, event: "tidy").answer == .invalid)
    }

    @Test("options out of range")
    func options() throws {
        let host = try TestHost()
        let name = "org.example.tidy"
        #expect(host.tryRegister(name, kind: 5).answer == .invalid)
        #expect(host.tryRegister(name, kind: -1).answer == .invalid)
        #expect(host.tryRegister(name, budget: 1).answer == .invalid)
        #expect(host.tryRegister(name, budget: .max).answer == .invalid)
        #expect(host.tryRegister(name, grace: .max).answer == .invalid)
        #expect(host.tryRegister(name, concurrency: .max).answer == .invalid)
        #expect(host.tryRegister(name, event: "").answer == .invalid)
        #expect(host.tryRegister(name, event: "Tidy").answer == .invalid)
        for events in ["Step", "step(", "step)", "step(float)", "step(bool,)", "step(bool) x", ""] {
            #expect(host.tryRegister(name, events: [events]).answer == .invalid, "\(events)")
        }
        let types = [String](repeating: "bool", count: 17).joined(separator: ",")
        #expect(host.tryRegister(name, events: ["step(\(types))"]).answer == .invalid)
        #expect(curfew_host_get_handler_count(host.raw) == 0)
    }

    @Test("the defaults are those of the header")
    func defaults() throws {
        let host = try TestHost()
        #expect(host.tryRegister("org.example.Tidy-Up").answer == .ok)
        #expect(host.tryRegister("org.example.long", kind: CURFEW_KIND_PROCESSING).answer == .ok)
        let short = try host.handler("org.example.Tidy-Up")
        #expect(short.kind == CURFEW_KIND_APP_REFRESH)
        #expect(short.budget_ns == 30 * .second)
        #expect(short.grace_ns == 5 * .second)
        #expect(short.max_concurrency == 1)
        #expect(String(cString: short.event) == "tidy_up")
        #expect(String(cString: short.plugin) == "")
        #expect(try host.handler("org.example.long").budget_ns == 600 * .second)
    }

    @Test("a configuration out of range is INVALID, and says what")
    func configuration() throws {
        func attempt(_ change: (inout curfew_host_config) -> Void) -> (Answer, String) {
            var config = curfew_host_config()
            config.struct_size = UInt32(MemoryLayout<curfew_host_config>.size)
            change(&config)
            var error = curfew_error.empty
            var made: OpaquePointer?
            let answer = Answer(curfew_host_create(&config, &made, &error))
            _ = curfew_host_destroy(made, nil, nil)
            return (answer, error.text)
        }
        #expect(attempt { _ in }.0 == .ok)
        #expect(attempt { $0.queue_limit = 3 }.0 == .invalid)
        #expect(attempt { $0.queue_limit = 3 }.1.contains("queue_limit"))
        #expect(attempt { $0.queue_limit = .max }.0 == .invalid)
        #expect(attempt { $0.task_limit = .max }.0 == .invalid)
        #expect(attempt { $0.max_payload_bytes = .max }.0 == .invalid)
        let list = strdup("/nowhere/Info.plist")
        defer { free(list) }
        #expect(attempt { $0.permitted = UnsafePointer(list) }.0 == .invalid)
        let text = attempt { $0.permitted = UnsafePointer(list) }.1
        #expect(text.contains("cannot open it"))
        #expect(text.contains("/nowhere/Info.plist"))
        #expect(attempt { $0.max_result_bytes = .max }.0 == .invalid)
        #expect(attempt { $0.lost_after_ns = .max }.0 != .system)
        #expect(attempt { $0.event_limit = .max }.0 == .invalid)
        #expect(attempt { $0.isolation = Int32(CURFEW_ISOLATION_PROCESS) }.0 == .ok)
        #expect(attempt { $0.isolation = Int32(CURFEW_ISOLATION_FRESH) }.0 == .ok)
        for isolation: Int32 in [-1, 4, .max] {
            #expect(attempt { $0.isolation = isolation }.0 == .invalid)
        }
        #expect(attempt { $0.isolation = 4 }.1.contains("isolation is 4"))
        #expect(attempt { $0.isolation_count = 1 }.1.contains("isolations is NULL"))
        let relative = strdup("bin/curfew-child")
        defer { free(relative) }
        #expect(attempt { $0.helper = UnsafePointer(relative) }.0 == .invalid)
        #expect(attempt { $0.helper = UnsafePointer(relative) }.1.contains("absolute path"))
        var pool = curfew_worker_config()
        pool.struct_size = UInt32(MemoryLayout<curfew_worker_config>.size)
        let faults: [(inout curfew_worker_config) -> Void] = [
            { $0.workers = .max }, { $0.nice = -1 }, { $0.nice = 20 }, { $0.io_priority = 10 },
            { $0.stack_bytes = 1 }, { $0.struct_size = 0 },
        ]
        for fault in faults {
            var bad = pool
            fault(&bad)
            withUnsafePointer(to: &bad) { bad in
                #expect(attempt { $0.app_refresh = bad }.0 == .invalid)
                #expect(attempt { $0.processing = bad }.0 == .invalid)
            }
        }
        pool.stack_bytes = .max
        withUnsafePointer(to: &pool) { pool in
            #expect(attempt { $0.app_refresh = pool }.0 == .invalid)
        }
    }

    @Test("a host with a stack size, niceness and I/O priority of its own runs")
    func workers() throws {
        var pool = curfew_worker_config()
        pool.struct_size = UInt32(MemoryLayout<curfew_worker_config>.size)
        pool.workers = 1
        pool.nice = 5
        pool.io_priority = 9
        pool.stack_bytes = 256 * 1024
        try withUnsafePointer(to: &pool) { pool in
            let host = try TestHost { $0.app_refresh = pool }
            _ = host
        }
        let host = try TestHost(workers: 1)
        try host.register { _ in 0 }
        #expect(host.wait(try host.launch()) == .ok)
    }

    @Test("a host without any configuration works")
    func noConfiguration() throws {
        var made: OpaquePointer?
        #expect(Answer(curfew_host_create(nil, &made, nil)) == .ok)
        #expect(Answer(curfew_host_destroy(made, nil, nil)) == .ok)
    }

    @Test("handlers and plugins beyond the last are NOT_FOUND")
    func indices() throws {
        let host = try TestHost()
        let index = try host.register { _ in 0 }
        #expect(
            OutStruct.filled(curfew_handler_state.self) {
                curfew_host_get_handler(host.raw, index + 1, $0, nil)
            }.answer == .notFound)
        #expect(
            OutStruct.filled(curfew_plugin_state.self) {
                curfew_host_get_plugin(host.raw, .max, $0, nil)
            }.answer == .notFound)
        #expect(Answer(curfew_host_launch_by_index(host.raw, .max, nil, nil, nil)) == .notFound)
        var task: curfew_task = 0
        #expect(Answer(curfew_host_launch_by_index(host.raw, index, nil, &task, nil)) == .ok)
        #expect(task != 0)
        var found: UInt32 = 9
        #expect(
            Answer(curfew_host_find_handler(host.raw, "org.example.none", &found, nil)) == .notFound
        )
        #expect(host.tryLaunch("org.example.none").answer == .notFound)
    }

    @Test("launches out of range: budget, grace and payload")
    func launches() throws {
        let host = try TestHost { $0.max_payload_bytes = 8 }
        try host.register { call in call.payload?.count == 8 ? 0 : call.fail("size") }
        #expect(host.tryLaunch(payload: [UInt8](repeating: 1, count: 9)).answer == .tooLarge)
        let task = try host.launch(payload: [UInt8](repeating: 1, count: 8))
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_SUCCEEDED)
        #expect(host.tryLaunch(budget: .max).answer == .invalid)
        #expect(host.tryLaunch(grace: .max).answer == .invalid)
        var options = curfew_launch_options()
        options.struct_size = UInt32(MemoryLayout<curfew_launch_options>.size)
        options.payload_bytes = 5
        #expect(
            Answer(curfew_host_launch(host.raw, "org.example.tidy", &options, nil, nil)) == .invalid
        )
        options.payload_bytes = .max
        withUnsafePointer(to: &options) { address in
            var huge = address.pointee
            huge.payload = UnsafeRawPointer(address)
            var error = curfew_error.empty
            let status = curfew_host_launch(host.raw, "org.example.tidy", &huge, nil, &error)
            #expect(Answer(status) == .tooLarge)
            #expect(error.text.contains("its payload has 9223372036854775807 bytes"))
        }
        #expect(host.counts.launched == 1)
    }
}
