// SPDX-License-Identifier: Apache-2.0

import CSystem
import Foundation
import Testing

@testable import PluginBridge

/// Uses signals that nothing else in the process does.
@Suite("The watch over a process", .serialized)
struct ProcessStateWatchTests {
    private static let signal: Int32 = 50

    private func action(of signal: Int32) -> csys_signal_action {
        var action = csys_signal_action()
        #expect(csys_get_signal_action(signal, &action))
        return action
    }

    private func set(_ handler: UInt64, flags: Int32 = 0, mask: UInt64 = 0, of signal: Int32) {
        var action = csys_signal_action(handler: handler, mask: mask, flags: flags, reserved: 0)
        csys_set_signal_action(signal, &action)
    }

    /// The address of some function; it is never called.
    private var function: UInt64 {
        UInt64(UInt(bitPattern: dlsym(UnsafeMutableRawPointer(bitPattern: 0), "getpid")))
    }
    private var other: UInt64 {
        UInt64(UInt(bitPattern: dlsym(UnsafeMutableRawPointer(bitPattern: 0), "getppid")))
    }

    @Test("nothing is told where nothing was changed")
    func nothing() {
        #expect(ProcessStateWatch().restore() == [])
    }

    @Test("a function for a signal is told, and taken away")
    func functions() {
        let watch = ProcessStateWatch()
        set(function, of: Self.signal)
        let told = watch.restore()
        #expect(told.count == 1)
        #expect(
            told.first?.text.hasPrefix("what the signal 50 does (default → a function of ") == true)
        #expect(action(of: Self.signal).handler == 0)
    }

    @Test("a signal that is ignored is told, and one that is not any more")
    func ignored() {
        let watch = ProcessStateWatch()
        set(1, of: Self.signal)
        #expect(watch.restore().map(\.text) == ["what the signal 50 does (default → ignored)"])
        #expect(action(of: Self.signal).handler == 0)
        set(1, of: Self.signal)
        let second = ProcessStateWatch()
        set(0, of: Self.signal)
        #expect(second.restore().map(\.text) == ["what the signal 50 does (ignored → default)"])
        #expect(action(of: Self.signal).handler == 1)
        set(0, of: Self.signal)
    }

    @Test("a function's place, mask and flags are put back")
    func details() {
        let flags: Int32 = 0x1000_0000  // SA_RESTART
        set(function, flags: flags, mask: 1 << 40, of: Self.signal)
        defer { set(0, of: Self.signal) }
        let before = action(of: Self.signal)
        for change in 0..<3 {
            let watch = ProcessStateWatch()
            set(
                change == 0 ? other : function, flags: change == 1 ? 0 : flags,
                mask: change == 2 ? 1 << 41 : 1 << 40, of: Self.signal)
            #expect(watch.restore().count == 1)
            let after = action(of: Self.signal)
            #expect(after.handler == before.handler)
            #expect(after.mask == before.mask)
            #expect(after.flags == before.flags)
        }
    }

    @Test("what becomes of children is told without a function, and nothing else's flags are")
    func children() {
        let before = action(of: SIGCHLD)
        defer { set(before.handler, flags: before.flags, mask: before.mask, of: SIGCHLD) }
        set(0, of: SIGCHLD)
        let watch = ProcessStateWatch()
        set(0, flags: 2, of: SIGCHLD)  // SA_NOCLDWAIT
        #expect(
            watch.restore().map(\.text) == ["what the signal SIGCHLD does (its flags or its mask)"])
        #expect(action(of: SIGCHLD).flags & 2 == 0)
        let second = ProcessStateWatch()
        set(0, flags: 0x1000_0000, of: Self.signal)
        #expect(second.restore() == [])
        set(0, of: Self.signal)
    }

    @Test("the thread's mask is told and put back")
    func mask() {
        let before = csys_signal_mask()
        let watch = ProcessStateWatch()
        // Threads of the runtime's block nearly everything, others nothing.
        csys_set_signal_mask(before ^ 1 << 49)
        let told = watch.restore()
        #expect(told.count == 1)
        #expect(told.first?.text.hasPrefix("the signal mask of the thread (") == true)
        #expect(csys_signal_mask() == before)
    }

    @Test("the status and the system calls tell the same")
    func agrees() {
        set(function, flags: 0x1000_0000, mask: 1 << 40, of: Self.signal)
        set(1, of: Self.signal + 1)
        defer {
            set(0, of: Self.signal)
            set(0, of: Self.signal + 1)
        }
        let descriptor = csys_open_status()
        defer { close(descriptor) }
        var (told, asked) = (csys_process_state(), csys_process_state())
        csys_get_process_state(descriptor, &told)
        csys_get_process_state(-1, &asked)
        let isSame = csys_same_process_state(&told, &asked)
        #expect(isSame)
        // A descriptor that has become another file's.
        var confused = csys_process_state()
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        csys_get_process_state(null, &confused)
        let isSameAgain = csys_same_process_state(&told, &confused)
        #expect(isSameAgain)
    }
}
