// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import Glibc
import TestSupport
import Testing

/// What grows with use has a limit, and somebody else's use of it starves nobody.
@Suite("Limits")
struct LimitTests {
    @Test("free slots that idle in the queues of many handlers starve no other handler")
    func idleSlots() throws {
        let size = 1 << 16
        let host = try TestHost(clock: nil, observing: false) { $0.queue_limit = UInt32(size) }
        for number in 0..<33 {
            let name = "org.example.tidy\(number)"
            let index = try host.register(name, budget: 60 * .second) { _ in 0 }
            // Each fills its queue and empties it again, so that every cell has held a task.
            #expect(Answer(curfew_host_pause_handler(host.raw, name, nil)) == .ok)
            var refused = 0
            for _ in 0..<size {
                if curfew_host_launch_by_index(host.raw, index, nil, nil, nil) != 0 { refused += 1 }
            }
            #expect(refused == 0, "handler \(number)")
            #expect(Answer(curfew_host_resume_handler(host.raw, name, nil)) == .ok)
            try host.waitUntil("empty") { try host.handler(name).queued == 0 }
        }
    }

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
        let host = try TestHost(observing: false) { $0.queue_limit = 1 << 16 }
        try host.register { _ in 0 }
        let before = try resident()
        for number in 0..<32 { try host.register("org.example.idle\(number)") { _ in 0 } }
        // The queues are 128 MiB together.
        #expect(try resident() - before < 32 << 20)
        #expect(host.wait(try host.launch("org.example.idle31")) == .ok)
    }

    @Test("every launch finds its place on the first lap and on later ones", arguments: [2, 4, 64])
    func laps(size: UInt32) throws {
        let host = try TestHost(clock: nil, observing: false) { $0.queue_limit = size }
        let name = "org.example.laps"
        let index = try host.register(name) { _ in 0 }
        var launched: UInt64 = 0
        for lap in 0..<5 {
            #expect(Answer(curfew_host_pause_handler(host.raw, name, nil)) == .ok)
            // Not always to the end, so that laps begin in the middle.
            let count = lap % 2 == 0 ? size : size - 1
            for _ in 0..<count {
                #expect(curfew_host_launch_by_index(host.raw, index, nil, nil, nil) == 0)
                launched += 1
            }
            if count == size {
                #expect(
                    Answer(curfew_host_launch_by_index(host.raw, index, nil, nil, nil)) == .busy)
            }
            #expect(try host.handler(name).queued == count)
            #expect(Answer(curfew_host_resume_handler(host.raw, name, nil)) == .ok)
            try host.waitUntil("empty") { try host.handler(name).queued == 0 }
        }
        try host.waitUntil("over") { try host.handler(name).ended.1 == launched }
    }

    @Test(
        "a handler for whose queue there is no memory is EXHAUSTED",
        .enabled(if: !ProcessFacts.isSanitized))
    func noMemoryForQueue() throws {
        let host = try TestHost(observing: false) { $0.queue_limit = 1 << 16 }
        try host.register { _ in 0 }
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        var tight = before
        tight.rlim_cur = 1
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &tight)
        let (answer, text) = host.tryRegister("org.example.large")
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        #expect(answer == .exhausted)
        #expect(text.contains("no memory for a queue of 65536 tasks"))
        try host.register("org.example.large") { _ in 0 }
        #expect(host.wait(try host.launch("org.example.large")) == .ok)
    }

    @Test("launches that are refused for want of a slot take no place in the queue")
    func refusedLaunches() throws {
        let host = try TestHost(observing: false) {
            $0.task_limit = 8
            $0.queue_limit = 4
        }
        try host.register { _ in 0 }
        try host.register("org.example.paused") { _ in 0 }
        #expect(Answer(curfew_host_pause_handler(host.raw, "org.example.paused", nil)) == .ok)
        var tasks: [curfew_task] = []
        while case (.ok, let task) = host.tryLaunch() {
            tasks.append(task)
            #expect(host.wait(task) == .ok)
        }
        for _ in 0..<8 { #expect(host.tryLaunch("org.example.paused").answer == .exhausted) }
        for task in tasks { #expect(host.release(task) == .ok) }
        for _ in 0..<4 { #expect(host.tryLaunch("org.example.paused").answer == .ok) }
        #expect(host.tryLaunch("org.example.paused").answer == .busy)
    }

    @Test(
        "a payload for which there is no memory is EXHAUSTED, and nothing was launched",
        .enabled(if: !ProcessFacts.isSanitized))
    func noMemory() throws {
        let host = try TestHost(observing: false) { $0.max_payload_bytes = 1 << 31 }
        try host.register { _ in 0 }
        let bytes = 1 << 30
        let memory = mmap(nil, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        defer { munmap(memory, bytes) }
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        var tight = before
        tight.rlim_cur = 1
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &tight)
        var options = curfew_launch_options()
        options.struct_size = UInt32(MemoryLayout<curfew_launch_options>.size)
        options.payload = UnsafeRawPointer(memory)
        options.payload_bytes = UInt64(bytes)
        let status = curfew_host_launch(host.raw, "org.example.tidy", &options, nil, nil)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        #expect(Answer(status) == .exhausted)
        #expect(host.counts.launched == 0)
        #expect(host.wait(try host.launch()) == .ok)
    }

    @Test(
        "a host for which there are no addresses is SYSTEM, says for what, and leaves nothing behind",
        .enabled(if: !ProcessFacts.isSanitized))
    func noAddresses() throws {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
        let descriptors = ProcessFacts.now.descriptors
        let mapped = LimitTests.mapped
        var said: Set<String> = []
        var made: OpaquePointer?
        // From too few for anything until there are enough.
        for mebibytes in stride(from: 0, through: 1_024, by: 8) {
            var error = curfew_error()
            error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
            var tight = before
            tight.rlim_cur = LimitTests.mapped + rlim_t(mebibytes) << 20
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &tight)
            let answer = Answer(curfew_host_create(nil, &made, &error))
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before)
            if answer == .ok { break }
            #expect(answer == .system)
            said.insert(error.text)
        }
        #expect(Answer(curfew_host_destroy(try #require(made), nil, nil)) == .ok)
        #expect(said.contains("no address space is left for the table of tasks"), "\(said)")
        #expect(said.contains("no address space is left for the queue of events"), "\(said)")
        // What an earlier test has let go of may be closed meanwhile.
        #expect(ProcessFacts.now.descriptors <= descriptors)
        // Each thread that was started keeps 64 MiB of addresses for malloc; the tables of those that
        // were refused are several times that.
        #expect(LimitTests.mapped < mapped + 512 << 20, "from \(mapped) to \(LimitTests.mapped)")
    }

    /// Bytes of addresses that this process uses.
    private static var mapped: rlim_t {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").first.flatMap { rlim_t($0) } ?? 0
        return pages * rlim_t(sysconf(Int32(_SC_PAGESIZE)))
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
        try host.register { _ in 0 }
    }

    @Test("expectations that are never collected are limited, also those that were replaced")
    func expectations() throws {
        let host = try TestHost(observing: false)
        var first: curfew_subscription = 0
        for number in 0..<1 << 16 {
            let expectation = try host.expect("hello")
            if number == 0 { first = expectation }
        }
        var number: curfew_subscription = 0
        let answer = Answer(curfew_host_expect_event(host.raw, "hello", 0, nil, &number, nil))
        #expect(answer == .exhausted)
        #expect(host.collect(first).answer == .replaced)
        _ = try host.expect("hello")
    }

    @Test("waits inside each other's events end with EXHAUSTED before the stack does")
    func nestedWaits() throws {
        let host = try TestHost(clock: nil, ownLoop: true, observing: false)
        let (answers, depth) = (Guarded<[Answer]>([]), Guarded(0))
        let nesting = Observer { [weak host] _ in
            depth.change { $0 += 1 }
            guard let host, depth.now < 2_000, host.raise("again") == .ok,
                let never = try? host.expect(
                    "never", context: UnsafeRawPointer(bitPattern: depth.now))
            else { return }
            // Turns the loop, which delivers the next one inside this.
            let answer = host.collect(never, within: .millisecond).answer
            answers.change { $0.append(answer) }
        }
        try host.observe("again", by: nesting)
        #expect(host.raise("again") == .ok)
        host.dispatch()
        #expect(answers.now.first == .exhausted)
        #expect(depth.now < 2_000)
    }

    @Test("a plugin that is refused again and again stands in the list once")
    func sameEntry() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin { _, _, _ in curfew_status(CURFEW_FAILED) }
        for _ in 0..<20 { #expect(plugin.load(in: host).answer == .failed) }
        #expect(curfew_host_get_plugin_count(host.raw) == 1)
        for _ in 0..<20 { #expect(host.load("/nonexistent").answer == .refused) }
        #expect(curfew_host_get_plugin_count(host.raw) == 2)
    }

    @Test("a plugin that was refused is answered by nobody, and may be loaded again")
    func refusedCaller() throws {
        let host = try TestHost()
        let (table, isSound) = (Guarded<RunCall?>(nil), Guarded(false))
        let plugin = try HookedPlugin { api, _, _ in
            table.change { $0 = RunCall(api: api, task: 1) }
            guard isSound.now else { return curfew_status(CURFEW_FAILED) }
            return HookedPlugin.register("org.example.hooked", api)
        }
        #expect(plugin.load(in: host).answer == .failed)
        let lines = host.log.now.count
        table.now?.log("from a thread of its own")
        #expect(host.log.now.count == lines)
        isSound.change { $0 = true }
        #expect(plugin.load(in: host).answer == .ok)
        table.now?.log("from a thread of its own")
        #expect(host.log.now.count == lines + 1)
        #expect(host.destroy() == .ok)
        isSound.change { $0 = false }
    }
}
