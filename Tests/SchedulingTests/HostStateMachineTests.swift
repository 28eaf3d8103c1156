// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("The life of a host")
struct HostStateMachineTests {
    @Test("open, draining, expiring, leaving, closed: each step says what comes next")
    func wholeLife() {
        var host = HostStateMachine()
        #expect(host.state == .open)
        #expect(host.shutDown() == .drain)
        #expect(host.state == .draining)
        #expect(host.drained(hasQueues: false) == .expire(keepsQueues: false))
        #expect(host.state == .expiring)
        #expect(host.expired() == .interrupt)
        #expect(host.state == .leaving)
        #expect(host.left() == .close)
        #expect(host.state == .closed)
    }

    @Test("queues of subs are expired last: by them pending tasks answer")
    func queuesLast() {
        var host = HostStateMachine()
        _ = host.shutDown()
        #expect(host.drained(hasQueues: true) == .expire(keepsQueues: true))
        #expect(host.expired() == .expire(keepsQueues: false))
        #expect(host.state == .expiring)
        #expect(host.expired() == .interrupt)
    }

    @Test("the first to ask carries the shutdown out; all others wait for it, in any phase")
    func onlyTheFirst() {
        var host = HostStateMachine()
        #expect(host.shutDown() == .drain)
        #expect(host.shutDown() == .awaitClosed)
        _ = host.drained(hasQueues: false)
        #expect(host.shutDown() == .awaitClosed)
        #expect(host.state == .expiring)
        _ = host.expired()
        #expect(host.shutDown() == .awaitClosed)
        #expect(host.state == .leaving)
        _ = host.left()
        #expect(host.shutDown() == .awaitClosed)
        #expect(host.state == .closed)
    }

    @Test("a closed host is destroyed once")
    func destroyedOnce() {
        var host = closed()
        let asked = [host.destroy(), host.destroy()]
        #expect(asked == [true, false])
    }

    @Test("the numbers go up with the phases, for a word that other threads read")
    func numbers() {
        let states: [HostStateMachine.State] = [.open, .draining, .expiring, .leaving, .closed]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    @Test("an open host has no phase to end, and cannot be destroyed")
    func movesOfAnOpenHost() async {
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.drained(hasQueues: false)
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.expired()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.left()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.destroy()
        }
    }

    @Test("no phase is skipped, and none comes twice")
    func order() async {
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            _ = host.expired()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            _ = host.drained(hasQueues: false)
            _ = host.left()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            _ = host.drained(hasQueues: false)
            _ = host.drained(hasQueues: false)
        }
        await #expect(processExitsWith: .failure) {
            var host = closed()
            _ = host.left()
        }
        await #expect(processExitsWith: .success) { _ = closed() }
    }
}

private func closed() -> HostStateMachine {
    var host = HostStateMachine()
    _ = host.shutDown()
    _ = host.drained(hasQueues: false)
    _ = host.expired()
    _ = host.left()
    return host
}
