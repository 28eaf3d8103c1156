// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Runner

@Suite("The most that a plugin's process may have", .timeLimit(.minutes(2)))
struct ProcessLimitsTests {
    /// The limits of memory, descriptors and the size of a file that a process has.
    private func limits(
        _ configure: (inout HostConfiguration.ProcessLimits) -> Void
    ) throws -> String {
        let host = try TestHost(clock: nil, observing: false) { configuration in
            configuration.isolation = .process
            configure(&configuration.processLimits)
        }
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        let task = try host.launch("org.curfew.test.process.one", payload: Array("limits".utf8))
        try host.waitUntil("over") { try host.query(task).outcome != nil }
        return String(decoding: host.result(task) ?? [], as: UTF8.self)
    }

    @Test("without limits of the host it has the defaults")
    func defaults() throws {
        #expect(try limits { _ in } == "\(1 << 30) 256 \(1 << 30)")
    }

    @Test("a host's limits hold for a plugin that asks for nothing")
    func given() throws {
        let said = try limits { limits in
            limits.memory = 200_000_000
            limits.descriptors = 64
            limits.fileBytes = 5_000
        }
        #expect(said == "200000000 64 5000")
    }

    @Test("a manifest gets what it needs, but no more than the host allows")
    func least() {
        var most = HostConfiguration.ProcessLimits()
        var needs = ManifestNeeds()
        needs.memory = 4_000_000_000
        needs.descriptors = 100
        needs.processes = 10
        let free = most.limits(needs, ownThreads: 9)
        #expect(free.memory == 4_000_000_000 && free.descriptors == 100 && free.processes == 19)
        #expect(most.shortfalls(needs, hard: { _ in .max }).isEmpty)
        most.memory = 1_000_000_000
        most.descriptors = 200
        most.processes = 4
        let held = most.limits(needs, ownThreads: 9)
        #expect(held.memory == 1_000_000_000 && held.descriptors == 100 && held.processes == 13)
        #expect(
            most.shortfalls(needs, hard: { _ in .max }) == [
                "4000000000 bytes of memory, and gets 1000000000: the host allows no more",
                "10 processes, and gets 4: the host allows no more",
            ])
        needs.processes = nil
        #expect(
            most.shortfalls(needs, hard: { $0 == Int32(RLIMIT_NOFILE.rawValue) ? 64 : 999_000_000 })
                == [
                    "4000000000 bytes of memory, and gets 999000000: the process of the host has no more (ulimit -H -d)",
                    "100 descriptors, and gets 64: the process of the host has no more (ulimit -H -n)",
                ])
    }

    @Test("an impossible limit is refused, and named")
    func impossible() {
        for (change, name) in [
            ({ $0.memory = 1 }, "process_memory_bytes is 1; it must be 0 or in 64,000,000…"),
            ({ $0.fileBytes = 1 << 50 }, "process_file_bytes is \(1 << 50); "),
            ({ $0.descriptors = 31 }, "process_descriptors is 31; it must be 0 or in 32…1,048,576"),
            ({ $0.processes = 40_000 }, "process_count is 40000; it must be 0 or in 1…32,768"),
        ] as [((inout HostConfiguration.ProcessLimits) -> Void, String)] {
            var configuration = HostConfiguration()
            change(&configuration.processLimits)
            #expect(configuration.fault?.hasPrefix(name) == true, "\(configuration.fault ?? "nil")")
        }
    }
}
