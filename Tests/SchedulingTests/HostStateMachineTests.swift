// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("The life of a host")
struct HostStateMachineTests {
    @Test("open, draining, expiring, leaving, closed")
    func wholeLife() {
        var host = HostStateMachine()
        #expect(host.state == .open)
        #expect(host.shutDown() == true)
        #expect(host.state == .draining)
        host.drained()
        #expect(host.state == .expiring)
        host.expired()
        #expect(host.state == .leaving)
        host.left()
        #expect(host.state == .closed)
    }

    @Test("the first to ask carries the shutdown out; nobody after it does, in any phase")
    func onlyTheFirst() {
        var host = HostStateMachine()
        #expect(host.shutDown() == true)
        #expect(host.shutDown() == false)
        #expect(host.state == .draining)
        host.drained()
        #expect(host.shutDown() == false)
        #expect(host.state == .expiring)
        host.expired()
        #expect(host.shutDown() == false)
        #expect(host.state == .leaving)
        host.left()
        #expect(host.shutDown() == false)
        #expect(host.state == .closed)
    }

    @Test("the numbers go up with the phases, for a word that others read")
    func numbers() {
        let states: [HostStateMachine.State] = [.open, .draining, .expiring, .leaving, .closed]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    @Test("an open host has no phase to end")
    func movesOfAnOpenHost() async {
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            host.drained()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            host.expired()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            host.left()
        }
    }

    @Test("no phase is skipped")
    func skippedPhases() async {
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            host.expired()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            host.left()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            host.drained()
            host.left()
        }
    }

    @Test("no phase comes twice")
    func repeatedPhases() async {
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            host.drained()
            host.drained()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            host.drained()
            host.expired()
            host.expired()
        }
        await #expect(processExitsWith: .failure) {
            var host = HostStateMachine()
            _ = host.shutDown()
            host.drained()
            host.expired()
            host.left()
            host.left()
        }
    }

    @Test("the legal way does not stop the process")
    func legalInAChild() async {
        await #expect(processExitsWith: .success) {
            var host = HostStateMachine()
            _ = host.shutDown()
            host.drained()
            host.expired()
            host.left()
        }
    }
}
