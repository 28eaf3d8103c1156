// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// Handlers of form `subs`: functions that a library exports by the names of B4X subs.
@Suite("Handlers of form subs")
struct SubsFormTests {
    private static let second: UInt64 = 1_000_000_000

    // MARK: The plain form

    @Test("S0.13: exactly \"Done.\" is success, any other text is the error")
    func texts() throws {
        let plugin = try SubsPlugin()
        for (text, ending) in [
            ("Done.", Ending(CURFEW_OUTCOME_SUCCEEDED)),
            ("Done", Ending(CURFEW_OUTCOME_FAILED, text: "Done")),
            ("Done. ", Ending(CURFEW_OUTCOME_FAILED, text: "Done. ")),
            ("", Ending(CURFEW_OUTCOME_FAILED, text: "the handler failed")),
            (
                "nothing",
                Ending(
                    CURFEW_OUTCOME_FAILED,
                    text: "the sub returned no text; it returns \"Done.\" or an error text")
            ),
            ("kein Platz übrig", Ending(CURFEW_OUTCOME_FAILED, text: "kein Platz übrig")),
            (
                String(repeating: "x", count: 66_000),
                Ending(CURFEW_OUTCOME_FAILED, text: String(repeating: "x", count: 65_536))
            ),
        ] {
            try plugin.plan(text)
            let ended = try plugin.ending(of: try plugin.host.launch("org.example.plain"))
            if text.isEmpty {
                #expect(ended.outcome == curfew_outcome(CURFEW_OUTCOME_FAILED))
                #expect(!ended.text.isEmpty)
            } else {
                #expect(ended == ending)
            }
        }
    }

    @Test("S0.14, S0.16: the expired sub is called, and coming back in the grace is expired")
    func expired() throws {
        let plugin = try SubsPlugin()
        try plugin.plan("until expired")
        let task = try plugin.host.launch("org.example.plain")
        try plugin.wait(for: "doplain")
        plugin.host.clock?.advance(Self.second)
        #expect(
            try plugin.ending(of: task)
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                    text: Ending.expiredText))
        try plugin.wait(for: "plain_done false \"Background task expired.\"")
        #expect(plugin.notes.count { $0 == "plain_expired" } == 1)
    }

    @Test("S0.2, S0.27: subs that receive events get them on a worker, each with its parameters")
    func receiving() throws {
        let plugin = try SubsPlugin()
        try plugin.wait(for: "registeringplain_done true \"\"")
        try plugin.plan("Done.")
        let first = try plugin.host.launch("org.example.plain")
        #expect(plugin.host.wait(first) == .ok)
        try plugin.wait(for: "plain_done true \"\"")
        // A wait of the embedder's takes the event from its subscribers, not from the plugin.
        let wait = try plugin.host.expect("plain_done::")
        try plugin.plan("broken")
        let second = try plugin.host.launch("org.example.plain")
        #expect(plugin.host.wait(second) == .ok)
        #expect(plugin.host.collect(wait).answer == .ok)
        try plugin.wait(for: "plain_done false \"broken\"")
        // They are tasks of a handler of their own.
        let handler = try plugin.host.handler("org.example.subs-plugin/subs")
        #expect(String(cString: handler.plugin) == "org.example.subs-plugin")
        #expect(handler.launched >= 3)
    }

    @Test("a sub that does not come back costs its own queue and nothing else")
    func hangingSub() throws {
        let plugin = try SubsPlugin { $0.lost_after_ns = Self.second }
        try plugin.plan("hang")
        let task = try plugin.host.launch("org.example.plain")
        #expect(plugin.host.wait(task) == .ok)
        try plugin.wait(for: "plain_done false \"hang\"")
        for _ in 0..<3 { plugin.host.clock?.advance(30 * Self.second) }
        try plugin.host.waitUntil("quarantined") {
            try plugin.host.handler("org.example.subs-plugin/subs").quarantined
        }
        try plugin.plan("Done.")
        let other = try plugin.host.launch("org.example.plain")
        #expect(try plugin.ending(of: other) == Ending(CURFEW_OUTCOME_SUCCEEDED))
        try plugin.host.waitUntil("told") {
            plugin.host.log.value.contains {
                $0.contains("an event for its subs is lost, and others are until there is room")
            }
        }
        try plugin.goOn()
        try plugin.host.waitUntil("back") { plugin.host.counts.lost_workers == 0 }
    }

    // MARK: The resumable form

    @Test("S0.28–S0.31: controller, do-sub with a sleep, Wait For, and completion")
    func chain() throws {
        let plugin = try SubsPlugin()
        let task = try plugin.host.launch("org.example.chain")
        try plugin.wait(for: "do_chain")
        try plugin.host.waitUntilPending(task)
        plugin.host.clock?.advance(9_999_999)
        #expect(!plugin.notes.contains("do_chain goes on"))
        plugin.host.clock?.advance(1)
        #expect(try plugin.ending(of: task) == Ending(CURFEW_OUTCOME_SUCCEEDED))
        #expect(
            plugin.notes.filter { !$0.hasPrefix("registering") } == [
                "controller", "do_chain", "do_chain goes on", "completed true",
            ])
    }

    @Test("S0.36: while a controller's task is pending, the next one waits")
    func oneAtATime() throws {
        let plugin = try SubsPlugin()
        let first = try plugin.host.launch("org.example.chain")
        let second = try plugin.host.launch("org.example.chain")
        try plugin.host.waitUntilPending(first)
        plugin.host.clock?.advance(9_999_999)
        #expect(try plugin.host.query(second).phase == CURFEW_TASK_PHASE_QUEUED)
        plugin.host.clock?.advance(1)
        #expect(try plugin.ending(of: first) == Ending(CURFEW_OUTCOME_SUCCEEDED))
        try plugin.host.waitUntilPending(second)
        plugin.host.clock?.advance(10_000_000)
        #expect(try plugin.ending(of: second) == Ending(CURFEW_OUTCOME_SUCCEEDED))
        // One that the host answers for makes room as well.
        try plugin.plan("expire in the gap")
        let third = try plugin.host.launch("org.example.chain")
        let fourth = try plugin.host.launch("org.example.chain")
        try plugin.wait(for: "controller", times: 3)
        #expect(plugin.host.cancel(third) == .ok)
        try plugin.goOn()
        try plugin.host.waitUntil("back") { try plugin.host.query(third).returned }
        try plugin.plan("")
        plugin.host.clock?.advance(Self.second)
        #expect(plugin.host.wait(third) == .ok)
        // It may begin while the second that ends the third one's grace passes, and be over by then.
        try plugin.host.waitUntil("begun") {
            let phase = try plugin.host.query(fourth).phase
            return phase == CURFEW_TASK_PHASE_PENDING || phase == CURFEW_TASK_PHASE_OVER
        }
        plugin.host.clock?.advance(10_000_000)
        #expect(try plugin.ending(of: fourth) == Ending(CURFEW_OUTCOME_SUCCEEDED))
    }

    @Test("S0.36: the end of one that never began lets nobody in beside a pending one")
    func cancelledInTheQueue() throws {
        let plugin = try SubsPlugin()
        let chain = ["controller", "do_chain", "do_chain goes on", "completed true"]
        for round in 0..<20 {
            let first = try plugin.host.launch("org.example.chain")
            try plugin.host.waitUntilPending(first)
            let second = try plugin.host.launch("org.example.chain")
            let third = try plugin.host.launch("org.example.chain")
            #expect(plugin.host.cancel(second) == .ok)
            #expect(try plugin.ending(of: second).outcome == CURFEW_OUTCOME_CANCELLED)
            // Another handler's task, from one end to the other, is time enough to come in.
            #expect(plugin.host.wait(try plugin.host.launch("org.example.plain")) == .ok)
            #expect(try plugin.host.query(third).phase == CURFEW_TASK_PHASE_QUEUED)
            plugin.host.clock?.advance(10_000_000)
            #expect(try plugin.ending(of: first) == Ending(CURFEW_OUTCOME_SUCCEEDED))
            try plugin.host.waitUntilPending(third)
            plugin.host.clock?.advance(10_000_000)
            #expect(try plugin.ending(of: third) == Ending(CURFEW_OUTCOME_SUCCEEDED))
            #expect(plugin.notes.filter(chain.contains).count == (round + 1) * 8)
        }
    }

    @Test("S0.31, S0.32: expired while it sleeps: the controller completes it as not successful")
    func chainExpires() throws {
        let plugin = try SubsPlugin()
        // Its budget is over before its sleep.
        let task = try plugin.host.launch("org.example.chain", budget: 5_000_000)
        try plugin.host.waitUntilPending(task)
        plugin.host.clock?.advance(5_000_000)
        #expect(
            try plugin.ending(of: task)
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                    text: Ending.expiredText))
        plugin.host.clock?.advance(5_000_000)
        try plugin.wait(for: "do_chain goes on")
        #expect(
            plugin.notes.filter { !$0.hasPrefix("registering") } == [
                "controller", "do_chain", "chain_expired", "completed false", "do_chain goes on",
            ])
    }

    @Test("S0.33: expired while the normal Done is on its way: completed once, as not successful")
    func expiredBehindDone() throws {
        let plugin = try SubsPlugin()
        try plugin.plan("expire behind the done")
        let task = try plugin.host.launch("org.example.chain")
        try plugin.host.waitUntilPending(task)
        plugin.host.clock?.advance(10_000_000)
        try plugin.wait(for: "done is queued")
        plugin.host.clock?.advance(Self.second)
        try plugin.wait(for: "chain_expired")
        try plugin.goOn()
        #expect(
            try plugin.ending(of: task)
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                    text: Ending.expiredText))
        // B4X.16: the second Done finds nobody; the queue goes on.
        try plugin.plan("Done.")
        let next = try plugin.host.launch("org.example.plain")
        #expect(plugin.host.wait(next) == .ok)
        try plugin.wait(for: "plain_done true \"\"")
        #expect(plugin.notes.count { $0.hasPrefix("completed") } == 1)
        #expect(plugin.notes.contains("completed false"))
    }

    @Test("S0.34: expired before the controller waits: it ends all the same, as not successful")
    func expiredInTheGap() throws {
        let plugin = try SubsPlugin()
        try plugin.plan("expire in the gap")
        let task = try plugin.host.launch("org.example.chain")
        try plugin.wait(for: "controller")
        plugin.host.clock?.advance(Self.second)
        // Expired's Done comes before anybody waits for it.
        try plugin.host.waitUntil("consumed") {
            let handler = try plugin.host.handler("org.example.subs-plugin/subs")
            return handler.launched >= 1 && handler.queued == 0 && handler.active == 0
        }
        try plugin.goOn()
        try plugin.wait(for: "do_chain")
        try plugin.host.waitUntil("back") { try plugin.host.query(task).returned }
        // So the host answers at the end of the grace.
        plugin.host.clock?.advance(Self.second)
        #expect(
            try plugin.ending(of: task)
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: false,
                    text: Ending.expiredText))
        #expect(plugin.notes.contains("chain_expired"))
        #expect(!plugin.notes.contains("completed true"))
    }

    @Test("B4X.9, B4X.13, B4X.14, B4X.15, B4X.19, B4X.24: who gets an event in a plugin")
    func events() throws {
        let plugin = try SubsPlugin()
        try plugin.plan("events")
        let task = try plugin.host.launch("org.example.chain")
        try plugin.host.waitUntilPending(task)
        plugin.host.clock?.advance(50_000_000)
        #expect(plugin.host.wait(task) == .ok)
        try plugin.wait(for: "wait timed out")
        // The older of two waits was replaced; the newer one took the first event; the second went to
        // the sub.
        #expect(plugin.notes.count { $0 == "wait replaced" } == 1)
        #expect(plugin.notes.count { $0 == "waited for one 1" } == 1)
        #expect(plugin.notes.count { $0 == "chain_found two 2" } == 1)
        #expect(plugin.notes.count { $0 == "chain_step true 2.5" } == 1)
        #expect(plugin.notes.count { $0 == "refused" } == 1)
        #expect(!plugin.notes.contains { $0.hasPrefix("plain_done") })
        #expect(plugin.notes.count { $0 == "controller" } == 1)
    }

    @Test("every sleep that was begun is continued, however many end together")
    func many() throws {
        let plugin = try SubsPlugin()
        try plugin.plan("many")
        let task = try plugin.host.launch("org.example.chain")
        try plugin.host.waitUntilPending(task)
        plugin.host.clock?.advance(1_000_000)
        #expect(try plugin.ending(of: task) == Ending(CURFEW_OUTCOME_SUCCEEDED))
    }

    @Test("a shutdown tells a pending chain to stop, and its answer comes by the queue")
    func shutdown() throws {
        let plugin = try SubsPlugin()
        let task = try plugin.host.launch("org.example.chain")
        try plugin.host.waitUntilPending(task)
        #expect(plugin.host.shutDown(expire: 30 * Self.second) == .ok)
        #expect(
            try plugin.ending(of: task)
                == Ending(
                    CURFEW_OUTCOME_INTERRUPTED, reason: CURFEW_REASON_SHUTDOWN, answered: true,
                    text: Ending.interruptedText))
        #expect(plugin.notes.contains("completed false"))
    }

    @Test("the queue's tasks raise no events, and no other handler can have its name")
    func queue() throws {
        let plugin = try SubsPlugin()
        try plugin.plan("Done.")
        #expect(plugin.host.wait(try plugin.host.launch("org.example.plain")) == .ok)
        try plugin.wait(for: "plain_done true \"\"")
        #expect(!plugin.host.all.events.contains { $0.selector.hasPrefix("curfew_subs") })
        #expect(plugin.host.tryRegister("org.example.subs-plugin.subs").answer == .ok)
        #expect(plugin.host.tryRegister("org.example.subs-plugin/subs").answer == .invalid)
    }

    @Test("where the embedder turns the loop, nothing comes before it does")
    func ownLoop() throws {
        let plugin = try SubsPlugin(ownLoop: true)
        try plugin.plan("Done.")
        let task = try plugin.host.launch("org.example.plain")
        #expect(plugin.host.wait(task) == .ok)
        plugin.host.dispatch()
        try plugin.wait(for: "plain_done true \"\"")
    }

    // MARK: Refusals

    /// Compiles a library and loads it as a plugin with one handler made of subs.
    private func load(_ source: String, in host: TestHost) throws -> (answer: Answer, text: String)
    {
        let files = try TemporaryDirectory()
        try files.write(source, to: "tidy.c")
        try files.write(
            """
            {"id": "org.example.tidy-plugin", "version": "1.0.0", "abi": 0, "library": "libtidy.so",
             "handlers": [{"identifier": "org.example.tidy", "kind": "app-refresh", "form": "subs"}]}
            """, to: "manifest.json")
        let run = try ChildProcess.run(
            "gcc",
            [
                "-fPIC", "-shared", "-I\(BuiltProducts.packageRoot)/include", files.path("tidy.c"),
                "-o", files.path("libtidy.so"),
            ])
        guard run.succeeded else { throw TestFault(text: "\(run)") }
        return host.load(files.path)
    }

    @Test("the least there can be: one function, and no header of Curfew's")
    func least() throws {
        let host = try TestHost()
        let loaded = try load("const char *dotidy(void) { return \"Done.\"; }\n", in: host)
        #expect(loaded.answer == .ok, "\(loaded.text)")
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(try Ending(of: task, in: host) == Ending(CURFEW_OUTCOME_SUCCEEDED))
    }

    @Test("B4X.1: a library without the sub in small letters is refused, and told the names")
    func missing() throws {
        let host = try TestHost()
        for source in ["const char *DoTidy(void) { return 0; }\n", "int dotidy = 1;\n"] {
            let loaded = try load(source, in: host)
            #expect(loaded.answer == .refused)
            #expect(
                loaded.text.contains(
                    "libtidy.so exports neither dotidy nor tidy_controller, and the handler \"org.example.tidy\" is made of subs"
                ))
        }
        #expect(host.log.value.contains { $0.contains("CF0323 load-sub") })
    }

    @Test("a controller gets the host's table, so its library has to say for which ABI it is")
    func controllerWithoutNote() throws {
        let host = try TestHost()
        let source = """
            #include <curfew/plugin.h>
            #include <stddef.h>
            NOTE
            void tidy_controller(curfew_task task, const curfew_host_api *api) {
                api->complete(api, task, CURFEW_OK, NULL, 0, "kept", 4);
            }

            """
        let loaded = try load(source.replacing("NOTE", with: ""), in: host)
        #expect(loaded.answer == .refused)
        #expect(loaded.text.contains("tidy_controller gets the host's table"))
        let noted = try load(source.replacing("NOTE", with: "CURFEW_PLUGIN_NOTE();"), in: host)
        #expect(noted.answer == .ok, "\(noted.text)")
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(try Ending(of: task, in: host) == Ending(CURFEW_OUTCOME_SUCCEEDED))
        #expect(host.result(task).map { String(decoding: $0, as: UTF8.self) } == "kept")
    }
}
