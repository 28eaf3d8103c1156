// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// Loading plugins, and refusing them.
@Suite("Loading plugins")
struct LoadingTests {
    private func plugins(_ host: TestHost) -> [curfew_plugin_state] {
        (0..<curfew_host_get_plugin_count(host.raw)).compactMap { index in
            OutStruct.filled(curfew_plugin_state.self) {
                curfew_host_get_plugin(host.raw, index, $0, nil)
            }.value
        }
    }

    /// What became of `registering…_done` for an event, after a shutdown.
    private func registrations(_ host: TestHost, _ event: String) -> [Bool] {
        host.all.events.filter { $0.selector == "registering\(event)_done::" }
            .map { $0.parameters.first == .bool(true) }
    }

    @Test("a plugin is loaded, listed, run, and retired once")
    func load() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin(handlers: ["org.example.one", "org.example.two"])
        #expect(plugin.load(in: host).answer == .ok)
        let state = try #require(plugins(host).first)
        #expect(state.phase == CURFEW_PLUGIN_PHASE_READY)
        #expect(String(cString: state.id) == "org.example.hooked")
        #expect(String(cString: state.version) == "1.0.0")
        #expect(String(cString: state.directory) == plugin.directory)
        #expect(String(cString: state.reason) == "")
        #expect(state.handlers == 2)
        #expect(try String(cString: host.handler("org.example.two").plugin) == "org.example.hooked")
        #expect(host.wait(try host.launch("org.example.one")) == .ok)
        #expect(host.wait(try host.launch("org.example.two")) == .ok)
        #expect(plugin.retirements.value == 0)
        #expect(host.destroy() == .ok)
        #expect(plugin.retirements.value == 1)
        #expect(registrations(host, "one") == [true])
        #expect(registrations(host, "two") == [true])
    }

    @Test("the patient plugin waits for its expiration, on its budget and on the system's clock")
    func patient() throws {
        let host = try TestHost(clock: nil)
        #expect(host.load(BuiltProducts.testPluginDirectory("patient")).answer == .ok)
        let task = try host.launch("org.curfew.test.patient")
        #expect(host.wait(task) == .ok)
        #expect(
            try Ending(of: task, in: host)
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                    text: Ending.expiredText))
    }

    @Test("scanning lists plugins without running them, and faulty ones with their fault")
    func scan() throws {
        let directory = try TemporaryDirectory()
        try directory.write("{", to: "b/manifest.json")
        try directory.write(
            #"{"id": "org.example.a", "version": "1.0.0", "abi": 0, "library": "liba.so", "handlers": [{"identifier": "org.example.a", "kind": "processing"}]}"#,
            to: "a/manifest.json")
        try directory.write("no library", to: "a/liba.so")
        try directory.write("no plugin", to: "c/readme")
        let host = try TestHost()
        var found: UInt32 = 0
        #expect(Answer(curfew_host_scan_plugins(host.raw, directory.path, &found, nil)) == .ok)
        #expect(found == 2)
        let list = plugins(host)
        #expect(list.map(\.phase) == [1, 4], "\(list.map { String(cString: $0.reason) })")
        #expect(String(cString: list[0].id) == "org.example.a")
        #expect(String(cString: list[1].id) == "")
        #expect(String(cString: list[1].reason).contains("manifest.json"))
        #expect(curfew_host_get_handler_count(host.raw) == 0)
        #expect(
            Answer(curfew_host_scan_plugins(host.raw, directory.path("none"), &found, nil))
                == .system)
        #expect(host.load(directory.path("b")).answer == .refused)
        #expect(host.load(directory.path("a")).answer != .ok)
    }

    @Test("a directory without a manifest is refused, naming it")
    func noManifest() throws {
        let host = try TestHost()
        let directory = try TemporaryDirectory()
        let (answer, text) = host.load(directory.path)
        #expect(answer == .refused)
        #expect(text.contains(directory.path))
    }

    @Test("a manifest of another ABI is ABI_MISMATCH")
    func foreignManifest() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin(
            manifest:
                #"{"id": "org.example.a", "version": "1.0.0", "abi": 7, "library": "libhooked.so", "handlers": [{"identifier": "org.example.a", "kind": "processing"}]}"#
        )
        #expect(plugin.load(in: host).answer == .abiMismatch)
        let place = "manifest-abi: \(plugin.directory)/manifest.json:1:"
        #expect(host.log.value.contains { $0.hasPrefix("3 CF02") && $0.contains(place) })
    }

    @Test("a library of another ABI is ABI_MISMATCH before any of its code runs")
    func foreignLibrary() throws {
        let host = try TestHost()
        let (answer, text) = host.load(BuiltProducts.testPluginDirectory("foreign"))
        #expect(answer == .abiMismatch)
        #expect(text.contains("libforeign.so"))
        #expect(getenv("CURFEW_TEST_FOREIGN") == nil)
        #expect(host.shutDown() == .ok)
        #expect(registrations(host, "foreign") == [false])
    }

    @Test("a library without the note is refused before any of its code runs")
    func noNote() throws {
        let host = try TestHost()
        #expect(host.load(BuiltProducts.testPluginDirectory("nonote")).answer == .refused)
        #expect(getenv("CURFEW_TEST_NONOTE") == nil)
        #expect(host.shutDown() == .ok)
        #expect(registrations(host, "nonote") == [false])
    }

    @Test("a library without the entry is refused")
    func noEntry() throws {
        let host = try TestHost()
        let (answer, text) = host.load(BuiltProducts.testPluginDirectory("noentry"))
        #expect(answer == .refused)
        #expect(text.contains("curfew_plugin_entry"))
    }

    @Test("a library that is missing, and one that is no library")
    func noLibrary() throws {
        let host = try TestHost()
        let missing = try HookedPlugin()
        try FileManager.default.removeItem(atPath: missing.directory + "/libhooked.so")
        let answer = missing.load(in: host).answer
        #expect(answer == .refused || answer == .system)
        let text = try HookedPlugin()
        try Data("not a library".utf8).write(
            to: URL(fileURLWithPath: text.directory + "/libhooked.so"))
        #expect(text.load(in: host).answer == .refused)
    }

    @Test("an entry that says no: FAILED with its words, listed, nothing registered")
    func entryFails() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin { api, _, error in
            _ = HookedPlugin.register("org.example.hooked", api)
            return RunCall(api: api, task: 0, error: error).fail("no licence")
        }
        let (answer, text) = plugin.load(in: host)
        #expect(answer == .failed)
        #expect(text.contains("no licence"))
        #expect(curfew_host_get_handler_count(host.raw) == 0)
        let state = try #require(plugins(host).last)
        #expect(state.phase == CURFEW_PLUGIN_PHASE_FAILED)
        #expect(String(cString: state.reason).contains("no licence"))
        #expect(host.shutDown() == .ok)
        let event = host.all.events.first { $0.selector == "registeringhooked_done::" }
        #expect(event?.parameters.first == .bool(false))
    }

    @Test("a plugin that was refused can be mended and loaded")
    func mended() throws {
        let host = try TestHost()
        let broken = try HookedPlugin { _, _, _ in curfew_status(CURFEW_FAILED) }
        #expect(broken.load(in: host).answer == .failed)
        #expect(host.raise("registeringhooked_done::", [.bool(true), .text("")]) == .denied)
        #expect(try HookedPlugin().load(in: host).answer == .ok)
        #expect(host.wait(try host.launch("org.example.hooked")) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(registrations(host, "hooked") == [false, true])
    }

    @Test("what the manifest declares and the entry does not register is refused, naming it")
    func tooFew() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin(handlers: ["org.example.one", "org.example.two"]) {
            api, _, _ in
            HookedPlugin.register("org.example.one", api)
        }
        let (answer, text) = plugin.load(in: host)
        #expect(answer == .refused)
        #expect(text.contains("org.example.two"))
        #expect(curfew_host_get_handler_count(host.raw) == 0)
        #expect(host.tryLaunch("org.example.one").answer == .notFound)
        #expect(host.shutDown() == .ok)
        #expect(registrations(host, "one") == [false])
        #expect(registrations(host, "two") == [false])
    }

    @Test("what the entry registers beyond the manifest is DENIED, and the plugin refused")
    func tooMany() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        let plugin = try HookedPlugin { api, _, error in
            let said = [
                Answer(HookedPlugin.register("org.example.more", api, error)),
                Answer(HookedPlugin.register("org.example.hooked", api)),
                Answer(HookedPlugin.register("org.example.hooked", api)),
            ]
            answers.change { $0 = said }
            return 0
        }
        let (answer, text) = plugin.load(in: host)
        #expect(answer == .refused)
        #expect(text.contains("registered \"org.example.more\""))
        #expect(answers.value == [.denied, .ok, .exists])
        #expect(host.tryLaunch("org.example.more").answer == .notFound)
        #expect(host.tryLaunch("org.example.hooked").answer == .notFound)
        #expect(plugin.retirements.value == 1)
        #expect(host.log.value.contains { $0.contains("CF0309 load-undeclared: ") })
    }

    @Test("where library and manifest each have a handler the other has not, both are named")
    func otherHandlers() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin(handlers: ["org.example.one", "org.example.two"]) {
            api, _, error in
            _ = HookedPlugin.register("org.example.one", api)
            // An entry that gives up because it was told no.
            return HookedPlugin.register("org.example.three", api, error)
        }
        let (answer, text) = plugin.load(in: host)
        #expect(answer == .refused)
        #expect(text.contains("registered \"org.example.three\""))
        #expect(text.contains("did not register \"org.example.two\""))
        #expect(curfew_host_get_handler_count(host.raw) == 0)
    }

    @Test("what the entry says of itself must be what the manifest says")
    func otherIdentity() throws {
        let host = try TestHost()
        let faults: [(UnsafeMutablePointer<curfew_plugin_info>) -> Void] = [
            { $0.pointee.id = UnsafePointer(strdup("org.example.else")) },
            { $0.pointee.version = UnsafePointer(strdup("2.0.0")) },
        ]
        for fault in faults {
            let plugin = try HookedPlugin { api, info, error in
                fault(info)
                return HookedPlugin.register("org.example.hooked", api, error)
            }
            #expect(plugin.load(in: host).answer == .refused)
        }
        let foreign = try HookedPlugin { api, info, error in
            info.pointee.abi = 99
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(foreign.load(in: host).answer == .abiMismatch)
        let right = try HookedPlugin { api, info, error in
            info.pointee.id = UnsafePointer(strdup("org.example.hooked"))
            info.pointee.version = UnsafePointer(strdup("1.0.0"))
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(right.load(in: host).answer == .ok)
    }

    @Test("the second plugin with an id is EXISTS: the first stays, the shadowing is reported")
    func duplicatePlugin() throws {
        let host = try TestHost()
        let first = try HookedPlugin(handlers: ["org.example.one"])
        let second = try HookedPlugin(handlers: ["org.example.two"])
        #expect(first.load(in: host).answer == .ok)
        let (answer, text) = second.load(in: host)
        #expect(answer == .exists)
        #expect(text.contains(first.directory))
        #expect(text.contains(second.directory))
        #expect(host.wait(try host.launch("org.example.one")) == .ok)
        #expect(host.tryLaunch("org.example.two").answer == .notFound)
        let state = try #require(plugins(host).last)
        #expect(state.phase == CURFEW_PLUGIN_PHASE_FAILED)
        #expect(String(cString: state.directory) == second.directory)
        #expect(host.shutDown() == .ok)
        #expect(registrations(host, "two") == [false])
    }

    @Test("the second plugin with a handler's identifier is EXISTS, naming both; the first stays")
    func duplicateIdentifier() throws {
        let host = try TestHost()
        let first = try HookedPlugin(id: "org.example.first", handlers: ["org.example.one"])
        let second = try HookedPlugin(
            id: "org.example.second", handlers: ["org.example.new", "org.example.one"])
        #expect(first.load(in: host).answer == .ok)
        let (answer, text) = second.load(in: host)
        #expect(answer == .exists)
        #expect(text.contains("org.example.one"))
        #expect(text.contains("org.example.first"))
        #expect(host.wait(try host.launch("org.example.one")) == .ok)
        #expect(host.tryLaunch("org.example.new").answer == .notFound)
        #expect(host.tryRegister("org.example.one").answer == .exists)
    }

    @Test("the second plugin with an event's name is EXISTS, naming both; nothing of it stays")
    func duplicateEvent() throws {
        let host = try TestHost()
        let first = try HookedPlugin(id: "org.example.first", handlers: ["org.example.one"])
        let second = try HookedPlugin(
            id: "org.example.second", handlers: ["org.example.new", "com.other.one"])
        #expect(first.load(in: host).answer == .ok)
        let (answer, text) = second.load(in: host)
        #expect(answer == .exists)
        #expect(text.contains("one_done::") || text.contains("registeringone_done::"))
        #expect(text.contains("org.example.first"))
        #expect(curfew_host_get_handler_count(host.raw) == 1)
        #expect(host.tryLaunch("org.example.new").answer == .notFound)
        // It was not even entered.
        #expect(second.retirements.value == 0)
        // What was not taken is free for others.
        #expect(host.tryRegister("org.example.new").answer == .ok)
    }

    @Test("loading, scanning, shutting down and destroying are refused inside an entry")
    func insideEntry() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        let plugin = try HookedPlugin { [unowned host] api, _, error in
            let said = [
                host.load("/nonexistent").answer,
                Answer(curfew_host_scan_plugins(host.raw, "/", nil, nil)),
                Answer(curfew_host_shutdown(host.raw, nil, nil)),
                Answer(curfew_host_destroy(host.raw, nil, nil)),
                Answer(curfew_clock_advance(host.clock!.raw, 1, nil)),
            ]
            answers.change { $0 = said }
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(plugin.load(in: host).answer == .ok)
        #expect(answers.value == [Answer](repeating: .wrongThread, count: 5))
        #expect(host.wait(try host.launch("org.example.hooked")) == .ok)
    }

    @Test("destroying is refused inside the retirement of a plugin")
    func insideRetire() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        let plugin = try HookedPlugin()
        plugin.onRetire.change {
            $0 = { [unowned host] in
                let said = [
                    Answer(curfew_host_shutdown(host.raw, nil, nil)),
                    Answer(curfew_host_destroy(host.raw, nil, nil)),
                ]
                answers.change { $0 = said }
            }
        }
        #expect(plugin.load(in: host).answer == .ok)
        #expect(host.destroy() == .ok)
        #expect(answers.value == [.wrongThread, .wrongThread])
        #expect(plugin.retirements.value == 1)
    }

    @Test("register_handler outside the entry is WRONG_STATE and misbehaviour")
    func registerLater() throws {
        let host = try TestHost()
        let table = Guarded<UnsafePointer<curfew_host_api>?>(nil)
        let plugin = try HookedPlugin(handlers: ["org.example.one"]) { api, _, error in
            table.change { $0 = api }
            return HookedPlugin.register("org.example.one", api, error)
        }
        #expect(plugin.load(in: host).answer == .ok)
        let api = try #require(table.value)
        #expect(Answer(HookedPlugin.register("org.example.one", api)) == .wrongState)
        #expect(
            Answer(HookedPlugin.register("org.example.two", curfew_host_get_api(host.raw)))
                == .wrongState)
        #expect(host.counts.contract_violations == 2)
    }

    @Test("a plugin's table reaches its own tasks only")
    func othersTasks() throws {
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
        #expect(call.complete() == .stale)
        #expect(call.keep() == .stale)
        #expect(call.release() == .stale)
        #expect(call.progress(0.5) == .stale)
        #expect(call.info == nil)
        #expect(call.remaining == 0)
        #expect(call.isExpired)
        #expect(host.call(task).complete() == .ok)
    }

    @Test("two hosts with the same plugin are independent of each other")
    func twoHosts() throws {
        let hosts = [try TestHost(), try TestHost()]
        let tables = Guarded<[UnsafePointer<curfew_host_api>]>([])
        let plugin = try HookedPlugin { api, _, error in
            tables.change { $0.append(api) }
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        for host in hosts { #expect(plugin.load(in: host).answer == .ok) }
        try #require(tables.value.count == 2)
        #expect(tables.value[0] != tables.value[1])
        for host in hosts {
            try host.register { _ in curfew_status(CURFEW_PENDING) }
            #expect(host.wait(try host.launch("org.example.hooked")) == .ok)
        }
        let tasks = try hosts.map { try $0.launch() }
        for (host, task) in zip(hosts, tasks) { try host.waitUntilPending(task) }
        // A task of one host is nothing to the other.
        #expect(hosts[1].call(tasks[0]).complete() != .ok)
        #expect(hosts[0].cancel(tasks[1]) != .ok)
        #expect(try hosts[0].query(tasks[0]).phase == CURFEW_TASK_PHASE_PENDING)
        hosts[0].clock?.advance(100 * .second)
        #expect(try hosts[0].query(tasks[0]).outcome == CURFEW_OUTCOME_EXPIRED)
        #expect(try hosts[1].query(tasks[1]).phase == CURFEW_TASK_PHASE_PENDING)
        _ = curfew_host_pause_handler(hosts[0].raw, nil, nil)
        #expect(hosts[0].destroy() == .ok)
        #expect(plugin.retirements.value == 1)
        #expect(hosts[1].call(tasks[1]).complete() == .ok)
        #expect(hosts[1].wait(try hosts[1].launch("org.example.hooked")) == .ok)
        #expect(hosts[1].shutDown() == .ok)
        #expect(!hosts[1].all.events.contains { $0.task == tasks[0] })
        #expect(hosts[1].destroy() == .ok)
        #expect(plugin.retirements.value == 2)
    }
}
