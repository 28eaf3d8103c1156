// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import Glibc
import TestSupport
import Testing

/// The limits of a host: slots, addresses, plugins.
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

    @Test("a plugin that is refused again and again stands in the list once")
    func sameEntry() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin { _, _, _ in curfew_status(CURFEW_FAILED) }
        for _ in 0..<20 { #expect(plugin.load(in: host).answer == .failed) }
        #expect(curfew_host_get_plugin_count(host.raw) == 1)
        for _ in 0..<20 { #expect(host.load("/nonexistent").answer == .refused) }
        #expect(curfew_host_get_plugin_count(host.raw) == 2)
    }

    @Test("calls of a refused plugin fail, and it may be loaded again")
    func refusedCaller() throws {
        let host = try TestHost()
        let (table, isSound) = (Guarded<RunCall?>(nil), Guarded(false))
        let plugin = try HookedPlugin { api, _, _ in
            table.change { $0 = RunCall(api: api, task: 1) }
            guard isSound.value else { return curfew_status(CURFEW_FAILED) }
            return HookedPlugin.register("org.example.hooked", api)
        }
        #expect(plugin.load(in: host).answer == .failed)
        let lines = host.log.value.count
        table.value?.log("from a thread of its own")
        #expect(host.log.value.count == lines)
        isSound.change { $0 = true }
        #expect(plugin.load(in: host).answer == .ok)
        table.value?.log("from a thread of its own")
        #expect(host.log.value.count == lines + 1)
        #expect(host.destroy() == .ok)
        isSound.change { $0 = false }
    }
}
