// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// Shutdowns while code of the embedder or of a plugin does not return.
@Suite("Shutting down beside blocked code", .serialized)
struct BlockedCodeTests {
    @Test("a receiver that blocks costs a shutdown no more than its limits, and is named")
    func receiver() throws {
        let host = try TestHost(observing: false)
        let (entered, go) = (Signal(), Signal())
        try host.observe(
            "probe",
            by: Observer { _ in
                entered.send()
                _ = go.wait()
            })
        #expect(host.raise("probe") == .ok)
        #expect(entered.wait())
        let start = SuspendingClock.now
        let (answer, text) = host.shutDownSaying(leave: .millisecond)
        // Threads that only need a processor get 10 s.
        #expect(SuspendingClock.now - start < .seconds(8))
        #expect(answer == .timedOut)
        let named =
            "a receiver of probe has not returned; its thread and the host's memory are kept"
        #expect(text == named)
        #expect(host.destroySaying(leave: .millisecond) == (.timedOut, named))
        go.send()
    }

    @Test("a shutdown beside an entry function that blocks says TIMED_OUT and names the plugin")
    func entry() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let plugin = try HookedPlugin { api, _, error in
            stuck.entered.send()
            _ = stuck.go.wait()
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        let loader = Side { plugin.load(in: host).answer }
        #expect(stuck.entered.wait())
        let text =
            #"the entry or a constructor of the plugin "org.example.hooked" has not returned; "#
            + "its thread and the host's memory are kept"
        #expect(host.shutDownSaying(leave: .millisecond) == (.timedOut, text))
        #expect(host.destroySaying(leave: .millisecond) == (.timedOut, text))
        stuck.go.send()
        #expect(loader.join() == .failed)
    }

    @Test("a shutdown waits for an entry function that returns within the limit")
    func slowEntry() throws {
        let host = try TestHost()
        let stuck = Stuck()
        let plugin = try HookedPlugin { api, _, error in
            stuck.entered.send()
            _ = stuck.go.wait()
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        let loader = Side { plugin.load(in: host).answer }
        #expect(stuck.entered.wait())
        let shutdown = Side { host.shutDown(leave: Guarded<Int>.limit.nanoseconds) }
        try host.waitUntil("closing") { host.raise("probe") == .closing }
        stuck.go.send()
        #expect(shutdown.join() == .ok)
        #expect(loader.join() == .closing || loader.join() == .failed)
    }

    @Test("a log function that blocks on the embedder's own thread is named")
    func logging() throws {
        let stuck = Stuck()
        let host = try TestHost(observing: false) { $0.block(logging: stuck) }
        let call = host.call(0)
        let logger = Side { call.log("blocked") }
        #expect(stuck.entered.wait())
        #expect(host.shutDown(leave: .millisecond) == .ok)
        #expect(
            host.destroySaying(leave: .millisecond) == (
                .timedOut, "the log function has not returned; the host's memory is kept"
            ))
        stuck.go.send()
        #expect(logger.join() != nil)
    }

    @Test("a log function that blocks on a thread that loads a plugin is named")
    func loggingLoad() throws {
        let stuck = Stuck()
        let host = try TestHost(observing: false) { $0.block(logging: stuck) }
        let plugin = try HookedPlugin { _, _, _ in curfew_status(CURFEW_FAILED) }
        let loader = Side { plugin.load(in: host).answer }
        #expect(stuck.entered.wait())
        let text = "the log function has not returned; its thread and the host's memory are kept"
        #expect(host.shutDownSaying(leave: .millisecond) == (.timedOut, text))
        #expect(host.destroySaying(leave: .millisecond) == (.timedOut, text))
        stuck.go.send(100)
        #expect(loader.join() == .failed)
    }

    @Test("a receiver and a handler that block are both named")
    func both() throws {
        let host = try TestHost(observing: false)
        let stuck = Stuck()
        try host.register(run: stuck.run { _ in 0 })
        let (entered, go) = (Signal(), Signal())
        try host.observe(
            nil,
            by: Observer { _ in
                entered.send()
                _ = go.wait()
            })
        let task = try host.launch()
        #expect(stuck.entered.wait())
        #expect(host.raise("probe") == .ok)
        #expect(entered.wait())
        let (answer, text) = host.shutDownSaying(expire: .millisecond, leave: .millisecond)
        #expect(answer == .timedOut)
        #expect(
            text.hasPrefix(
                #"a function of "org.example.tidy" and a receiver of all events have not returned"#)
        )
        stuck.go.send()
        go.send(100)
        try host.waitUntil("returned") { try host.query(task).returned }
        #expect(host.destroy(leave: Guarded<Int>.limit.nanoseconds) == .ok)
    }
}
