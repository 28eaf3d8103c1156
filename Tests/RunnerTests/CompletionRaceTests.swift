// SPDX-License-Identifier: Apache-2.0
import Foundation
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// A task of another process completes itself about when its host stops it, or gives it up: what the
/// process hears is what the host has decided. A thousand times with every change, a million times with
/// `make torture`.
@Suite("Completing against the end of the grace, from another process", .timeLimit(.minutes(60)))
struct CompletionRaceTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["CURFEW_TORTURE"] == "1" ? 1_000_000 : 1_000
    private static let span: UInt64 = 60_000

    @Test("the answer of the call is the outcome of the task")
    func races() throws {
        let host = try TestHost(clock: nil, ownLoop: false, observing: false) { configuration in
            configuration.isolation = .process
        }
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        let directory = try TemporaryDirectory()
        try directory.write([UInt8](repeating: 0, count: Self.rounds), to: "answers")
        let path = directory.path("answers")
        var random = SeededGenerator(seed: 7)
        var expected: [UInt8] = []
        var next = 0
        while next < Self.rounds {
            let batch = try (next..<min(next + 64, Self.rounds)).map { index in
                let span = UInt64.random(in: 0...4 * Self.span, using: &random)
                return try host.launch(
                    "org.curfew.test.process.many",
                    payload: Array("race \(path) \(index) \(span)".utf8),
                    budget: Self.span, grace: Self.span)
            }
            for task in batch {
                #expect(host.wait(task) == .ok)
                let state = try host.query(task)
                let status: Status? =
                    switch state.outcome {
                    case .succeeded: .ok
                    case .expired: state.isAnswered ? .late : .expired
                    default: nil
                    }
                expected.append(status.map { UInt8($0.rawValue) + 1 } ?? 0)
                _ = host.engine.release(task)
            }
            next += batch.count
        }
        let handler = try host.handler("org.curfew.test.process.many")
        try host.waitUntil("all have returned") { handler.active == 0 }
        let answers = try directory.read("answers")
        let differing = answers.indices.filter { answers[$0] != expected[$0] }
        #expect(
            differing.isEmpty,
            "\(differing.count), the first: \(differing.prefix(5).map { ($0, answers[$0], expected[$0]) })"
        )
        let counts = [Status.ok, .late, .expired].map { status in
            expected.count { $0 == UInt8(status.rawValue) + 1 }
        }
        #expect(counts.allSatisfy { $0 > Self.rounds / 100 }, "\(counts)")
        print("endurance: \(Self.rounds) races: in time, within the grace, too late: \(counts)")
    }

    @Test("an event is raised if the call says so, and only then")
    func raises() throws {
        let host = try TestHost(clock: nil, ownLoop: false, observing: false) { configuration in
            configuration.isolation = .process
        }
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        let raised = Guarded<Set<Int64>>([])
        let observer = Observer { event in
            guard case .int64(let index)? = event.values.last else { return }
            raised.change { _ = $0.insert(index) }
        }
        _ = try host.observe("process_said::", by: observer)
        let rounds = Self.rounds / 5
        let directory = try TemporaryDirectory()
        try directory.write([UInt8](repeating: 0, count: rounds), to: "answers")
        let path = directory.path("answers")
        var random = SeededGenerator(seed: 11)
        let handler = try host.handler("org.curfew.test.process.one")
        for index in 0..<rounds {
            let span = UInt64.random(in: 0...30 * Self.span, using: &random)
            let task = try host.launch(
                "org.curfew.test.process.one",
                payload: Array("raise-race \(path) \(index) \(span)".utf8),
                budget: Self.span, grace: Self.span / 4)
            #expect(host.wait(task) == .ok)
            _ = host.engine.release(task)
        }
        try host.waitUntil("all have returned") { handler.active == 0 }
        let answers = try directory.read("answers").map { Int32($0) - 1 }
        let accepted = answers.indices.filter { answers[$0] == Status.ok.rawValue }
        try host.waitUntil("all events have come") { raised.value.count >= accepted.count }
        #expect(raised.value.sorted() == accepted.map(Int64.init))
        let others = Set(answers).subtracting([Status.ok, .already, .stale].map(\.rawValue))
        #expect(others.isEmpty)
        let refused = rounds - accepted.count
        #expect(min(accepted.count, refused) > rounds / 100, "\(accepted.count), \(refused)")
    }
}
