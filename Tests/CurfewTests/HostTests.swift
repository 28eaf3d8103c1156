// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import PluginBridge
import Runner
import Scheduling
import TestSupport
import Testing

import class Foundation.FileManager

@Suite("A host", .timeLimit(.minutes(5)))
struct HostTests {
    private func code(_ body: () throws -> Void) -> Status? {
        let error = #expect(throws: CurfewError.self, performing: body)
        #expect(error?.message.isEmpty == false)
        return error?.code
    }

    @Test("A configuration that cannot be used is refused, and the fault named")
    func refusesItsConfiguration() throws {
        let error = #expect(throws: CurfewError.self) {
            try Host.forTests { $0.queueLimit = 3 }
        }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("queue_limit is 3") == true)
    }

    @Test("Pins are digests, and permit the plugins that they name")
    func pins() throws {
        var configuration = HostConfiguration()
        configuration.log = { _, _, _, _ in }
        configuration.pins = ["org.example.tidy": ["00"]]
        let error = #expect(throws: CurfewError.self) { try Host(configuration) }
        #expect(error?.code == .invalid)
        #expect(error?.description.contains("64 hexadecimal digits") == true)
        configuration.pins = ["org.example.tidy": [String(repeating: "aF", count: 32)]]
        try Host(configuration).shutDown()
    }

    @Test("A handler is listed as it was registered")
    func listsHandlers() throws {
        let host = try Host.forTests()
        var description = HandlerDescription(identifier: "org.example.Tidy-Up", kind: .processing)
        description.maxConcurrency = 3
        let info = try host.register(description) { _ in }
        #expect(info.identifier == "org.example.Tidy-Up")
        #expect(info.plugin == "")
        #expect(info.description.event == "tidy_up")
        #expect(info.description.kind == .processing)
        #expect(info.description.maxConcurrency == 3)
        #expect(info.queued == 0)
        #expect(info.active == 0)
        #expect(info.lost == 0)
        #expect(!info.isPaused)
        #expect(info.quarantineReason == nil)
        #expect(host.handlers.map(\.identifier) == ["org.example.Tidy-Up"])
    }

    @Test("A handler is refused where its name or its event is taken or is none")
    func refusesHandlers() throws {
        let host = try Host.forTests()
        try host.register(.tidy) { _ in }
        #expect(code { try host.register(.tidy) { _ in } } == .exists)
        let sameEvent = HandlerDescription(identifier: "org.other.tidy")
        #expect(code { try host.register(sameEvent) { _ in } } == .exists)
        let noName = HandlerDescription(identifier: "tidy")
        #expect(code { try host.register(noName) { _ in } } == .invalid)
        #expect(host.handlers.count == 1)
        try host.shutDown()
        let late = HandlerDescription(identifier: "org.example.late")
        #expect(code { try host.register(late) { _ in } } == .closing)
    }

    @Test("A paused handler starts nothing until it is resumed, and others go on")
    func pauses() async throws {
        let host = try Host.forTests()
        let info = try host.register(.tidy) { _ in }
        try host.register(HandlerDescription(identifier: "org.example.other")) { _ in }
        try host.pause("org.example.tidy")
        #expect(info.isPaused)
        let task = try host.launch("org.example.tidy")
        #expect(await (try host.launch("org.example.other")).result.outcome == .succeeded)
        #expect(task.state.phase == .queued)
        try host.resume("org.example.tidy")
        #expect(await task.result.outcome == .succeeded)
        #expect(!info.isPaused)
        #expect(code { try host.pause("org.example.none") } == .notFound)
        #expect(code { try host.resume("org.example.none") } == .notFound)
        #expect(code { try host.release("org.example.none") } == .notFound)
    }

    @Test("A handler whose worker is lost is quarantined until that is released")
    func quarantines() async throws {
        let clock = ManualClock()
        let host = try Host.forTests(clock: clock) { $0.lostAfter = 1_000_000_000 }
        let gate = Gate()
        let entered = Gate()
        let info = try host.register(.tidy) { task in
            guard task.payload == [1] else { return }
            entered.open()
            try gate.pass()
        }
        let stuck = try host.launch(
            "org.example.tidy", payload: [1], budget: .seconds(1), grace: .seconds(1))
        let waiting = try host.launch("org.example.tidy")
        try entered.pass()
        #expect(clock.advance(by: 2_000_000_000) == .ok)
        #expect(await stuck.result.outcome == .expired)
        #expect(info.quarantineReason == nil)
        #expect(clock.advance(by: 1_000_000_000) == .ok)
        let reason = try #require(info.quarantineReason)
        #expect(reason.contains("did not return"))
        #expect(info.lost == 1)
        #expect(host.counts.lostWorkers == 1)
        #expect(waiting.state.phase == .queued)
        #expect(code { try host.launch("org.example.tidy") } == .quarantined)
        try host.release("org.example.tidy")
        #expect(info.quarantineReason == nil)
        #expect(await waiting.result.outcome == .succeeded)
        gate.open()
        #expect(await eventually { info.lost == 0 })
        #expect(await (try host.launch("org.example.tidy")).result.outcome == .succeeded)
        try host.shutDown()
    }

    @Test("A handler that has lost all it may goes on once its worker has come back")
    func comesBack() async throws {
        let clock = ManualClock()
        let host = try Host.forTests(clock: clock) {
            $0.lostAfter = 1_000_000_000
            $0.lostLimit = 1
        }
        let gate = Gate()
        let entered = Gate()
        let info = try host.register(.tidy) { task in
            guard task.payload == [1] else { return }
            entered.open()
            try gate.pass()
        }
        let stuck = try host.launch(
            "org.example.tidy", payload: [1], budget: .seconds(1), grace: .seconds(1))
        let waiting = try host.launch("org.example.tidy")
        try entered.pass()
        #expect(clock.advance(by: 3_000_000_000) == .ok)
        #expect(await stuck.result.outcome == .expired)
        try host.release("org.example.tidy")
        #expect(code { try host.launch("org.example.tidy") } == .exhausted)
        gate.open()
        #expect(try waiting.waitForResult(within: .seconds(60)).outcome == .succeeded)
        #expect(info.lost == 0)
    }

    @Test("A function that hangs after its task was answered for loses its worker too")
    func quarantinesWhoAnswers() async throws {
        let clock = ManualClock()
        let host = try Host.forTests(clock: clock) { $0.lostAfter = 1_000_000_000 }
        let gate = Gate()
        let entered = Gate()
        let info = try host.register(.tidy, expired: { task, _ in task.complete(result: [1]) }) {
            _ in
            entered.open()
            try gate.pass()
        }
        let task = try host.launch("org.example.tidy", budget: .seconds(1), grace: .seconds(2))
        try entered.pass()
        #expect(clock.advance(by: 1_000_000_000) == .ok)
        #expect(await task.result.outcome == .expired)
        #expect(task.state.isAnswered)
        #expect(task.resultIfOver?.bytes == [1])
        #expect(clock.advance(by: 2_999_999_999) == .ok)
        #expect(info.lost == 0)
        #expect(clock.advance(by: 1) == .ok)
        #expect(info.lost == 1)
        #expect(info.quarantineReason != nil)
        gate.open()
        #expect(await eventually { info.lost == 0 })
    }

    @Test("A host takes only what its list permits, and a list that is none makes no host")
    func permits() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            <plist version="1.0"><dict>
            <key>BGTaskSchedulerPermittedIdentifiers</key>
            <array><string>org.example.*</string></array>
            <key>UIBackgroundModes</key><array><string>fetch</string></array>
            </dict></plist>
            """, to: "Info.plist")
        let host = try Host.forTests { $0.permitted = directory.path("Info.plist") }
        try host.register(.tidy) { _ in }
        let other = HandlerDescription(identifier: "org.other.a")
        #expect(code { try host.register(other) { _ in } } == .denied)
        let refresh = BuiltProducts.testPluginDirectory("chain-refresh")
        #expect(code { try host.load(plugin: refresh) } == .denied)
        #expect(host.handlers.count == 1)
        #expect(
            code { _ = try Host.forTests { $0.permitted = directory.path("none") } } == .invalid)
    }

    @Test("Plugins are found where the path says, in its order")
    func discovers() throws {
        let directory = try TemporaryDirectory()
        for place in ["one", "two"] {
            try FileManager.default.createDirectory(
                atPath: directory.path(place), withIntermediateDirectories: false)
            try FileManager.default.copyItem(
                atPath: BuiltProducts.testPluginDirectory("chain-refresh"),
                toPath: directory.path("\(place)/refresh"))
        }
        let host = try Host.forTests()
        let path = [directory.path("two"), directory.path("one")].joined(separator: ":")
        #expect(
            try host.runtime.plugins.discover(
                PluginSearchPath(
                    environment: { $0 == PluginSearchPath.variable ? path : nil }, isTrusted: true))
                == 2)
        #expect(host.plugins.map(\.status) == [.validated, .shadowed])
        #expect(host.plugins[0].directory == directory.path("two/refresh"))
        #expect(host.plugins[1].reason.contains(directory.path("two/refresh")))
        try host.shutDown()
        #expect(code { try host.scan() } == .closing)
    }

    @Test("Plugins are scanned, loaded and listed, and faulty ones say why")
    func loadsPlugins() async throws {
        let host = try Host.forTests()
        let directory = try TemporaryDirectory()
        try directory.write("{}", to: "broken/manifest.json")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("chain-refresh"),
            toPath: directory.path("refresh"))
        #expect(try host.scan(directory.path) == 2)
        #expect(host.plugins.map(\.status) == [.failed, .validated])
        #expect(host.plugins[0].id == "")
        #expect(!host.plugins[0].reason.isEmpty)
        #expect(host.plugins[1].id == "org.curfew.test.chain-refresh")
        #expect(host.plugins[1].version == "1.0.0")
        #expect(host.plugins[1].directory == directory.path("refresh"))
        #expect(host.plugins[1].handlers == 1)
        #expect(host.handlers.isEmpty)

        try host.load(plugin: directory.path("refresh"))
        #expect(host.plugins.map(\.status) == [.failed, .ready])
        #expect(host.handlers.map(\.identifier) == ["com.yourcompany.apprefresh"])
        #expect(host.handlers[0].plugin == "org.curfew.test.chain-refresh")
        let task = try host.launch("com.yourcompany.apprefresh")
        #expect(await task.result.outcome == .succeeded)

        #expect(code { try host.load(plugin: directory.path("refresh")) } == .exists)
        #expect(code { try host.load(plugin: directory.path("broken")) } == .refused)
        #expect(code { try host.load(plugin: directory.path("none")) } == .refused)
        #expect(code { try host.scan(directory.path("none")) } == .system)
        #expect(host.handlers.count == 1)
        try host.shutDown()
        #expect(code { try host.scan(directory.path) } == .closing)
        #expect(code { try host.load(plugin: directory.path("refresh")) } == .closing)
    }

    @Test("What must be called from outside is refused inside")
    func refusesInside() async throws {
        let host = try Host.forTests()
        let codes = Guarded<[Status?]>([])
        @Sendable func note(_ body: () throws -> Void) {
            do {
                try body()
                codes.change { $0.append(nil) }
            } catch { codes.change { $0.append((error as? CurfewError)?.code) } }
        }
        try host.register(.tidy) { [weak host] _ in
            guard let host else { return }
            note { try host.shutDown() }
            note { try host.scan("/") }
            note { try host.load(plugin: "/") }
        }
        #expect(await (try host.launch("org.example.tidy")).result.outcome == .succeeded)
        let wait = try host.expect("end")
        let observation = try host.observe("hello") { [weak host] _ in
            note { try host?.shutDown() }
        }
        try host.raise("hello")
        try host.raise("end")
        _ = try await wait.event(within: .seconds(60))
        #expect(codes.value == [.wrongThread, .wrongThread, .wrongThread, .wrongThread])
        observation.end()
    }

    @Test("Where the embedder turns the loop, events come in dispatch and nowhere else")
    func manualDispatch() async throws {
        let host = try Host.forTests { $0.manualDispatch = true }
        let seen = Guarded<[HostEvent]>([])
        let observation = try host.observe { event in seen.change { $0.append(event) } }
        let descriptor = try #require(host.eventDescriptor)
        func isReadable() -> Bool {
            var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&one, 1, 0) == 1
        }
        #expect(!isReadable())
        try host.register(.tidy) { _ in }
        #expect(await (try host.launch("org.example.tidy")).result.outcome == .succeeded)
        #expect(isReadable())
        #expect(seen.value.isEmpty)
        #expect(try host.dispatch(limit: 1) == 1)
        #expect(seen.value.transcript == ["registeringtidy_done(true, \"\")"])
        // A task is over a moment before its done event waits.
        #expect(await eventually { isReadable() })
        #expect(try host.dispatch() == 1)
        #expect(seen.value.transcript.last == "tidy_done(true, \"\")")
        #expect(try host.dispatch() == 0)
        #expect(!isReadable())
        observation.end()
    }

    @Test("What waits when a host with its own loop is shut down is dispatched afterwards")
    func ownLoopAfterTheEnd() async throws {
        let host = try Host.forTests { $0.manualDispatch = true }
        let gate = Gate()
        let entered = Gate()
        try host.register(.tidy, expired: { _, _ in gate.open() }) { _ in
            entered.open()
            try gate.pass()
        }
        let events = try host.events(named: "tidy_done::")
        try host.launch("org.example.tidy")
        try entered.pass()
        try host.shutDown()
        try host.dispatch()
        var seen: [HostEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen.transcript == ["tidy_done(false, \"Background task interrupted.\")"])
    }

    @Test("A host that runs its loop refuses to dispatch on other threads")
    func foreignLoop() throws {
        let host = try Host.forTests()
        #expect(host.eventDescriptor == nil)
        #expect(code { try host.dispatch() } == .wrongState)
    }

    @Test("A shutdown interrupts what runs and what waits")
    func shutsDown() async throws {
        let host = try Host.forTests()
        let gate = Gate()
        let entered = Gate()
        let reasons = Guarded<[StopReason]>([])
        let info = try host.register(
            .tidy,
            expired: { _, reason in
                reasons.change { $0.append(reason) }
                gate.open()
            }
        ) { _ in
            entered.open()
            try gate.pass()
        }
        let running = try host.launch("org.example.tidy")
        let waiting = try host.launch("org.example.tidy")
        let held = try host.launch("org.example.tidy")
        #expect(held.pause())
        try entered.pass()
        try host.shutDown()
        #expect(await running.result.outcome == .interrupted)
        #expect(await waiting.result.outcome == .interrupted)
        #expect(await held.result.outcome == .interrupted)
        #expect(running.resultIfOver?.error == "Background task interrupted.")
        #expect(reasons.value == [.shutdown])
        #expect(info.ended(.interrupted) == 3)
        try host.shutDown()
    }

    @Test("A shutdown with time to drain lets everything finish")
    func drains() async throws {
        let host = try Host.forTests()
        let info = try host.register(.tidy) { _ in }
        let tasks = try (0..<50).map { _ in try host.launch("org.example.tidy") }
        try host.shutDown(drain: .seconds(60))
        for task in tasks { #expect(await task.result.outcome == .succeeded) }
        #expect(info.ended(.succeeded) == 50)
    }

    @Test("A shutdown that a handler holds up says which")
    func shutdownTimesOut() async throws {
        let host = try Host.forTests()
        let gate = Gate()
        let entered = Gate()
        try host.register(.tidy) { _ in
            entered.open()
            try gate.pass()
        }
        let task = try host.launch("org.example.tidy", grace: .milliseconds(1))
        try entered.pass()
        let error = #expect(throws: CurfewError.self) {
            try host.shutDown(expire: .milliseconds(1), leave: .milliseconds(1))
        }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("org.example.tidy") == true)
        #expect(await task.result.outcome == .interrupted)
        gate.open()
        #expect(await eventually { host.counts.lostWorkers == 0 && host.handlers[0].active == 0 })
    }

    @Test("A host whose last reference goes ends its tasks and lets go of its handlers")
    func endsWithItsLastReference() async throws {
        final class Witness: Sendable {}
        weak var weakHost: Host?
        weak var weakWitness: Witness?
        let gate = Gate()
        let entered = Gate()
        let reasons = Guarded<[StopReason]>([])
        do {
            let host = try Host.forTests()
            let witness = Witness()
            weakHost = host
            weakWitness = witness
            try host.register(
                .tidy,
                expired: { _, reason in
                    reasons.change { $0.append(reason) }
                    gate.open()
                }
            ) { [witness] _ in
                withExtendedLifetime(witness) {}
                entered.open()
                try gate.pass()
            }
            _ = try host.launch("org.example.tidy")
            try entered.pass()
        }
        #expect(weakHost == nil)
        #expect(reasons.value == [.shutdown])
        #expect(weakWitness == nil)
    }

    @Test("A host whose last reference goes on its own worker ends too")
    func endsOnItsWorker() async throws {
        final class Witness: Sendable {}
        weak var weakWitness: Witness?
        let given = Guarded<Host?>(nil)
        let ready = Gate()
        do {
            let witness = Witness()
            weakWitness = witness
            let host = try Host.forTests()
            try host.register(.tidy) { [witness] _ in
                withExtendedLifetime(witness) {}
                try ready.pass()
                given.change { $0 = nil }
            }
            given.change { $0 = host }
            try host.launch("org.example.tidy")
        }
        ready.open()
        #expect(await eventually { weakWitness == nil })
        #expect(given.value == nil)
    }

    @Test("A task keeps its host")
    func taskKeepsItsHost() async throws {
        let task: LaunchedTask
        do {
            let host = try Host.forTests()
            try host.register(.tidy) { _ in }
            task = try host.launch("org.example.tidy")
        }
        #expect(await task.result.outcome == .succeeded)
    }

    @Test("Two hosts in one process have nothing to do with each other")
    func twoHosts() async throws {
        let clock = ManualClock()
        let first = try Host.forTests(clock: clock)
        let second = try Host.forTests(clock: clock)
        for (host, payload) in [(first, UInt8(1)), (second, 2)] {
            try host.load(plugin: BuiltProducts.testPluginDirectory("chain-refresh"))
            try host.register(.tidy) { task in
                guard task.payload == [payload] else { throw CancellationError() }
            }
        }
        let seen = Guarded<[HostEvent]>([])
        let observation = try second.observe { event in seen.change { $0.append(event) } }
        let task = try first.launch("org.example.tidy", payload: [1])
        #expect(await task.result.outcome == .succeeded)
        #expect(await (try first.launch("com.yourcompany.apprefresh")).result.outcome == .succeeded)
        try first.shutDown()
        #expect(
            await (try second.launch("org.example.tidy", payload: [2])).result.outcome == .succeeded
        )
        #expect(
            await (try second.launch("com.yourcompany.apprefresh")).result.outcome == .succeeded)
        #expect(second.handlers.allSatisfy { $0.ended(.succeeded) == 1 })
        #expect(clock.advance(by: 1) == .ok)
        #expect(!seen.value.contains { $0.task == task.id })
        observation.end()
    }

    @Test("Counts tell what a host has done")
    func counts() async throws {
        let host = try Host.forTests()
        try host.register(.tidy) { task in if task.payload == [1] { throw CancellationError() } }
        for payload in [[], [1], [1]] as [[UInt8]] {
            _ = await (try host.launch("org.example.tidy", payload: payload)).result.outcome
        }
        let counts = host.counts
        #expect(counts.launched == 3)
        #expect(counts.ended[.succeeded] == 1)
        #expect(counts.ended[.failed] == 2)
        #expect(counts.workers >= 1)
        #expect(counts.deadlineThreads >= 2)
        #expect(counts.contractViolations == 0)
    }
}
