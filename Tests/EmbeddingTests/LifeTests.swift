// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("The life of a process with a host in it")
struct LifeTests {
    @Test(
        "It forks and runs programs at any time and from any thread, and they inherit nothing",
        arguments: ["fork", "vfork"])
    func forks(mode: String) throws {
        let child = try CompiledClients.shared.get().runLife(mode)
        #expect(child.succeeded, "\(child)")
    }

    @Test(
        "It raises more events than there is room for at a time, and their memory is given back",
        arguments: [["events"], ["events", "locked"]])
    func raises(mode: [String]) throws {
        let child = try CompiledClients.shared.get().runLife(mode)
        #expect(child.succeeded, "\(child)")
    }

    @Test(
        "It ends with its own status however it ends while tasks run",
        arguments: [
            "exit", "return", "stubborn", "quick_exit", "_exit", "thread", "function", "callback",
            "event", "atexit",
        ])
    func ends(mode: String) throws {
        let child = try CompiledClients.shared.get().runLife(mode, "7")
        #expect(child.ending == .exited(7), "\(child)")
        #expect(child.errorOutput.isEmpty)
    }
}
