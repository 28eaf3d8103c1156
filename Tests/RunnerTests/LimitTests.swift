// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

/// The limits of queues, tasks, payloads, names of events, and waits.
@Suite("Limits")
struct LimitTests {
    @Test("a queue costs no memory before something waits in it")
    func untouchedQueues() throws {
        /// The pages of the process that are in memory, in bytes.
        func resident() throws -> Int {
            let file = try #require(fopen("/proc/self/statm", "r"))
            defer { fclose(file) }
            var text = [CChar](repeating: 0, count: 128)
            fgets(&text, 128, file)
            let fields = String(
                decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self
            )
            .split(separator: " ")
            return try #require(Int(fields[1])) * sysconf(Int32(_SC_PAGESIZE))
        }
        let host = try TestHost(observing: false) { $0.queueLimit = 1 << 16 }
        try host.register { _ in .ok }
        let before = try resident()
        for number in 0..<32 { try host.register("org.example.idle\(number)") { _ in .ok } }
        // The queues are 128 MiB together.
        #expect(try resident() - before < 32 << 20)
        #expect(host.wait(try host.launch("org.example.idle31")) == .ok)
    }

    @Test(
        "every launch finds its place in the first round of its queue and in later ones",
        arguments: [2, 4, 64])
    func rounds(size: UInt32) throws {
        let host = try TestHost(clock: nil, observing: false) { $0.queueLimit = size }
        let name = "org.example.rounds"
        let index = try host.register(name) { _ in .ok }
        var launched: UInt64 = 0
        for round in 0..<5 {
            #expect(host.engine.pause(name) == .ok)
            // Not always to the end, so that rounds begin in the middle.
            let count = round % 2 == 0 ? size : size - 1
            for _ in 0..<count {
                #expect(host.engine.launch(index).status == .ok)
                launched += 1
            }
            if count == size {
                #expect(
                    host.engine.launch(index).status == .busy)
            }
            #expect(try host.handler(name).queued == count)
            #expect(host.engine.resume(name) == .ok)
            try host.waitUntil("empty") { try host.handler(name).queued == 0 }
        }
        try host.waitUntil("over") { try host.handler(name).ended(.succeeded) == launched }
    }

    @Test(
        "a handler for whose queue there is no memory is EXHAUSTED",
        .enabled(if: !ProcessFacts.isSanitized))
    func noMemoryForQueue() throws {
        let host = try TestHost(observing: false) { $0.queueLimit = 1 << 16 }
        try host.register { _ in .ok }
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        var tight = before
        tight.rlim_cur = 1
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &tight)
        let refusal = #expect(throws: BridgeError.self) {
            try host.register("org.example.large") { _ in .ok }
        }
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        #expect(refusal?.status == .exhausted)
        #expect(refusal?.message.contains("no memory for a queue of 65536 tasks") == true)
        try host.register("org.example.large") { _ in .ok }
        #expect(host.wait(try host.launch("org.example.large")) == .ok)
    }

    @Test("launches that are refused for want of a slot take no place in the queue")
    func refusedLaunches() throws {
        let host = try TestHost(observing: false) {
            $0.taskLimit = 8
            $0.queueLimit = 4
        }
        try host.register { _ in .ok }
        try host.register("org.example.paused") { _ in .ok }
        #expect(host.engine.pause("org.example.paused") == .ok)
        var tasks: [UInt64] = []
        while case (.ok, let task) = host.tryLaunch() {
            tasks.append(task)
            #expect(host.wait(task) == .ok)
        }
        for _ in 0..<8 { #expect(host.tryLaunch("org.example.paused").status == .exhausted) }
        for task in tasks { #expect(host.release(task) == .ok) }
        for _ in 0..<4 { #expect(host.tryLaunch("org.example.paused").status == .ok) }
        #expect(host.tryLaunch("org.example.paused").status == .busy)
    }

    @Test(
        "a payload for which there is no memory is EXHAUSTED, and nothing was launched",
        .enabled(if: !ProcessFacts.isSanitized))
    func noMemory() throws {
        let host = try TestHost(observing: false) { $0.payloadLimit = 1 << 31 }
        try host.register { _ in .ok }
        let bytes = 1 << 30
        let memory = mmap(nil, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        defer { munmap(memory, bytes) }
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        var tight = before
        tight.rlim_cur = 1
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &tight)
        let index = try host.handler().index
        let status = host.engine.launch(
            index, Launch(payload: UnsafeRawBufferPointer(start: memory, count: bytes))
        ).status
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        #expect(status == .exhausted)
        #expect(host.counts.launched == 0)
        #expect(host.wait(try host.launch()) == .ok)
    }

    @Test("waits inside each other's events end with EXHAUSTED before the stack does")
    func nestedWaits() throws {
        let host = try TestHost(clock: nil, ownLoop: true, observing: false)
        let (answers, depth) = (Guarded<[Status]>([]), Guarded(0))
        let nesting = Observer { [weak host] _ in
            depth.change { $0 += 1 }
            guard let host, depth.value < 2_000, host.raise("again") == .ok,
                let never = try? host.expect(
                    "never", context: UInt(depth.value))
            else { return }
            // Runs the loop, which delivers the next one inside this.
            let answer = host.collect(never, within: 10 * .second).status
            answers.change { $0.append(answer) }
            // Those outside of it have nothing more to wait for.
            if answer == .exhausted { _ = host.raise("never") }
        }
        try host.observe("again", by: nesting)
        #expect(host.raise("again") == .ok)
        host.dispatch()
        #expect(answers.value.first == .exhausted)
        #expect(depth.value < 2_000)
    }

    @Test("names that no handler declares are limited, and handlers have room all the same")
    func names() throws {
        let host = try TestHost(ownLoop: true, observing: false)
        var known = 0
        while host.raise("name\(known)") == .ok {
            known += 1
            if known % 4_096 == 0 { host.dispatch() }
            guard known < 1 << 17 else { break }
        }
        #expect(known == 1 << 15)
        #expect(host.raise("one_more") == .exhausted)
        #expect(host.raise("name7") == .ok)
        try host.register { _ in .ok }
    }

    @Test("expectations that are never collected are limited, also those that were replaced")
    func expectations() throws {
        let host = try TestHost(observing: false)
        var first: UInt64 = 0
        for number in 0..<1 << 16 {
            let expectation = try host.expect("hello")
            if number == 0 { first = expectation }
        }
        let refusal = #expect(throws: BridgeError.self) { try host.expect("hello") }
        #expect(refusal?.status == .exhausted)
        #expect(host.collect(first).status == .replaced)
        _ = try host.expect("hello")
    }
}
