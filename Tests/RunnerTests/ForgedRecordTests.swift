// SPDX-License-Identifier: Apache-2.0
import Foundation
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// The process writes into its ring itself, past the code that Curfew has there.
@Suite("Records that a process makes up", .timeLimit(.minutes(5)))
struct ForgedRecordTests {
    private struct Forgery {
        let kind, bytes, filling: Int
        /// No plugin can have meant it.
        var isSenseless: Bool {
            switch ChannelRecord.Kind(rawValue: UInt16(kind)) {
            case nil, .call, .callbackReturned, .done, .violated: true
            case .completed, .fragment, .log, .raised, .reported, .returned:
                bytes > ForgedRecordTests.longest
            }
        }
    }

    private static let longest = ChannelLayout.recordBytes - ChannelLayout.headerBytes

    /// Those of each kind, and of two that there are not; bodies from none to one byte too long.
    private static let forgeries: [Forgery] = {
        let kinds = [0] + ChannelRecord.Kind.allCases.map { Int($0.rawValue) } + [99]
        return kinds.flatMap { kind in
            [0, 1, 8, 24, 200, longest, longest + 1].flatMap { bytes in
                [0, 1, 255].map { Forgery(kind: kind, bytes: bytes, filling: $0) }
            }
        }
    }()

    private func run(
        _ what: String, in host: TestHost
    ) throws -> (outcome: Outcome?, text: String) {
        let task = try host.launch("org.curfew.test.process.one", payload: Array(what.utf8))
        try host.waitUntil("\(what) is over") { try host.query(task).outcome != nil }
        defer { _ = host.release(task) }
        return (try host.query(task).outcome, host.errorText(task) ?? "")
    }

    @Test("each ends the process that wrote it and its task, or is what the plugin could have said")
    func each() throws {
        let host = try TestHost.restarting()
        for forgery in Self.forgeries {
            let words = "forge \(forgery.kind) \(forgery.bytes) \(forgery.filling)"
            let (outcome, text) = try run(words, in: host)
            let isKilled = outcome == .crashed && text.contains("was killed: ")
            let isPossible = outcome == .succeeded || text.contains("exited with status 0")
            #expect(isKilled || !forgery.isSenseless && isPossible, "\(words): \(text)")
            let next = try run("", in: host)
            #expect(next.outcome == .succeeded, "after \(words): \(next)")
        }
        #expect(host.counts.processesFaulty > 200)
    }

    @Test("events for which no place is reserved end it, and those before are raised")
    func unreserved() throws {
        let host = try TestHost.restarting(ownLoop: true) { $0.eventLimit = 256 }
        let observer = Observer()
        _ = try host.observe("process_said::", by: observer)
        let (outcome, text) = try run("repeat 1000", in: host)
        #expect(outcome == .crashed)
        #expect(text.contains("it has posted more events than it may"), "\(text)")
        #expect(try run("", in: host).outcome == .succeeded)
        while host.dispatch() ?? 0 > 0 {}
        #expect((100...128).contains(observer.events.count), "\(observer.events.count)")
    }

    @Test("a call in the place of one that waits for its answer ends it")
    func hurried() throws {
        let host = try TestHost.restarting()
        let function = ChannelCall.pendingRequests.rawValue
        let (outcome, text) = try run("hurry 1000 \(function)", in: host)
        #expect(outcome == .crashed)
        #expect(text.contains("it has made a call before the last one was answered"), "\(text)")
        #expect(try run("", in: host).outcome == .succeeded)
    }

    @Test("memory that is written over ends it, long before the budgets of its tasks")
    func scribbled() throws {
        let host = try TestHost.restarting()
        #expect(try run("", in: host).outcome == .succeeded)
        let directory = try TemporaryDirectory()
        let sign = directory.path + "/begin"
        let first = try host.launch(
            "org.curfew.test.process.one", payload: Array("scribble \(sign)".utf8))
        // It waits for its turn, in a place that is written over.
        let second = try host.launch("org.curfew.test.process.one", budget: 600 * .second)
        try Data().write(to: URL(fileURLWithPath: sign))
        // A query of a task looks at its place as well.
        try host.waitUntil("killed") { host.counts.processesFaulty > 0 }
        #expect(host.counts.ended[.expired, default: 0] == 0)
        try host.waitUntil("over") { try host.query(second).outcome != nil }
        #expect(try host.query(second).outcome == .crashed)
        let text = host.errorText(second) ?? ""
        #expect(text.contains("was killed: "), "\(text)")
        for task in [first, second] { _ = host.release(task) }
        #expect(try run("", in: host).outcome == .succeeded)
    }

    @Test("so does one whose task goes on")
    func wiped() throws {
        let host = try TestHost.restarting()
        let task = try host.launch(
            "org.curfew.test.process.one", payload: Array("wipe".utf8), budget: 600 * .second)
        try host.waitUntil("killed") { host.counts.processesFaulty > 0 }
        try host.waitUntil("over") { try host.query(task).outcome != nil }
        #expect(try host.query(task).outcome == .crashed)
        #expect(host.errorText(task)?.contains("written over the place of a task") == true)
        _ = host.release(task)
    }
}
