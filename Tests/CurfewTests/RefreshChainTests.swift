// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import Scheduling
import TestSupport
import Testing

/// A refresh task is carried over from a phone with its names: what was a chain of subs there is a
/// chain of events here.
@Suite("The chain of a refresh task: registering, do, expired, done", .timeLimit(.minutes(5)))
struct RefreshChainTests {
    /// How the handler comes into the host.
    enum Form: CaseIterable { case plugin, closures }

    private static let identifier = "com.yourcompany.apprefresh"
    private static let registering = "registeringbackgroundapprefreshtask_done(true, \"\")"
    private static let doing = "dobackgroundapprefreshtask()"
    private static let expiring = "backgroundapprefreshtask_expired()"

    private let clock = ManualClock()
    private let host: Host
    private let seen = Guarded<[HostEvent]>([])
    private let observation: Observation

    init() throws {
        host = try Host.forTests(clock: clock)
        let seen = seen
        observation = try host.observe { event in seen.change { $0.append(event) } }
    }

    private struct Text: Error, CustomStringConvertible { let description: String }

    /// The same handler in Swift as Tests/Plugins/chain-refresh is in C.
    private func registerClosures() throws {
        var description = HandlerDescription(
            identifier: Self.identifier, event: "backgroundapprefreshtask")
        description.events = [
            EventSignature(name: "dobackgroundapprefreshtask", parameters: [])!
        ]
        let cancelled = Gate()
        @Sendable func doBackgroundAppRefreshTask(_ payload: String) throws -> String {
            if payload.hasPrefix("fail:") { return String(payload.dropFirst(5)) }
            if payload == "endless" {
                try cancelled.pass()
                return "The operation was cancelled."
            }
            return "Done."
        }
        try host.register(description, expired: { _, _ in cancelled.open() }) { task in
            try task.raise("dobackgroundapprefreshtask")
            let result = try doBackgroundAppRefreshTask(
                String(decoding: task.payload, as: UTF8.self))
            if result != "Done." { throw Text(description: result) }
        }
    }

    private func register(_ form: Form) throws {
        switch form {
        case .plugin: try host.load(plugin: BuiltProducts.testPluginDirectory("chain-refresh"))
        case .closures: try registerClosures()
        }
    }

    /// What the chain looked like when it was over.
    private func chain(_ done: EventWait) async throws -> [String] {
        _ = try await done.event(within: .seconds(60))
        return seen.value.transcript
    }

    @Test("In time with \"Done.\": the done sub hears of success", arguments: Form.allCases)
    func done(form: Form) async throws {
        try register(form)
        let done = try host.expect("backgroundapprefreshtask_done::")
        let task = try host.launch(Self.identifier)
        #expect(
            try await chain(done) == [
                Self.registering, Self.doing, "backgroundapprefreshtask_done(true, \"\")",
            ])
        #expect(await task.result.outcome == .succeeded)
    }

    @Test("In time with an error text: the done sub hears of it", arguments: Form.allCases)
    func failed(form: Form) async throws {
        try register(form)
        let done = try host.expect("backgroundapprefreshtask_done::")
        let task = try host.launch(Self.identifier, payload: Array("fail:No route to host".utf8))
        #expect(
            try await chain(done) == [
                Self.registering, Self.doing,
                "backgroundapprefreshtask_done(false, \"No route to host\")",
            ])
        #expect(await task.result.outcome == .failed)
    }

    @Test(
        "Over its 30 s: do, expired, done, and the done sub hears that it expired",
        arguments: Form.allCases)
    func expired(form: Form) async throws {
        try register(form)
        let doing = try host.expect("dobackgroundapprefreshtask")
        let done = try host.expect("backgroundapprefreshtask_done::")
        let task = try host.launch(Self.identifier, payload: Array("endless".utf8))
        _ = try await doing.event(within: .seconds(60))
        #expect(clock.advance(by: 30_000_000_000) == .ok)
        #expect(
            try await chain(done) == [
                Self.registering, Self.doing, Self.expiring,
                "backgroundapprefreshtask_done(false, \"Background task expired.\")",
            ])
        #expect(await task.result.outcome == .expired)
        #expect(task.resultIfOver?.answer == "The operation was cancelled.")
    }

    @Test(
        "Three launches in a row: each has its own chain, none mixes with another",
        arguments: Form.allCases)
    func repeated(form: Form) async throws {
        try register(form)
        let texts = ["", "fail:one", ""]
        let tasks = try texts.map { try host.launch(Self.identifier, payload: Array($0.utf8)) }
        for task in tasks { _ = await task.result.outcome }
        try host.shutDown()
        #expect(seen.value.map(\.task) == [0] + tasks.flatMap { [$0.id, $0.id] })
        #expect(
            seen.value.transcript == [
                Self.registering,
                Self.doing, "backgroundapprefreshtask_done(true, \"\")",
                Self.doing, "backgroundapprefreshtask_done(false, \"one\")",
                Self.doing, "backgroundapprefreshtask_done(true, \"\")",
            ])
    }

    @Test("A handler that is refused: its registering sub hears of it, and why")
    func refused() async throws {
        try registerClosures()
        #expect(throws: CurfewError.self) {
            try host.load(plugin: BuiltProducts.testPluginDirectory("chain-refresh"))
        }
        try host.shutDown()
        let events = seen.value
        #expect(
            events.map(\.selector.name)
                == Array(
                    repeating: "registeringbackgroundapprefreshtask_done", count: 2))
        #expect(events.last?.values.first == .bool(false))
        guard case .text(let reason) = events.last?.values.last else {
            Issue.record("\(events)")
            return
        }
        #expect(reason.contains(Self.identifier))
        #expect(reason.contains("taken"))
    }
}
