// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PluginBridge

@Suite("What is different in a process")
struct ProcessStateTests {
    private let before = ProcessState(
        users: ProcessState.Identity(real: 0, effective: 0, saved: 0),
        groups: ProcessState.Identity(real: 5, effective: 5, saved: 5),
        root: ProcessState.Directory(device: 1, file: 1, path: "/"),
        signals: [1: .standard, 10: .standard, 11: .standard, 13: .standard, 34: .ignored],
        signalMask: 0,
        signalStack: ProcessState.SignalStack(address: 0, bytes: 0, flags: 2),
        floatControl: 0x37f_0000_1f80, umask: 0o22,
        directory: ProcessState.Directory(device: 1, file: 2, path: "/a"))

    private func file(_ address: UInt64) -> String? {
        switch address {
        case 100..<200: "/opt/swift/usr/lib/swift/linux/libswiftCore.so"
        case 200..<300: "/plugins/libp.so"
        default: nil
        }
    }

    private func texts(_ change: (inout ProcessState) -> Void) -> [String] {
        var after = before
        change(&after)
        return ProcessStateChange.blamed(before.changes(to: after), file: file)
            .map { $0.text(file: file) }
    }

    private func action(_ handler: UInt64) -> SignalAction {
        SignalAction(handler: handler, mask: 0, flags: 0)
    }

    @Test("the same is the same, also where a directory has another name")
    func same() {
        #expect(texts { _ in } == [])
        #expect(texts { $0.directory?.path = "/b" } == [])
        #expect(texts { $0.umask = nil } == [])
        #expect(texts { $0.directory = nil } == [])
        #expect(texts { $0.signals[13] = nil } == [])
    }

    @Test("each kind of change is told, with what was and what is")
    func kinds() {
        #expect(
            texts { $0.signals[13] = .ignored } == [
                "what the signal SIGPIPE does (default → ignored)"
            ])
        #expect(
            texts { $0.signals[10] = action(250) }
                == ["what the signal SIGUSR1 does (default → a function of /plugins/libp.so)"])
        #expect(
            texts { $0.signals[34] = action(999) } == [
                "what the signal 34 does (ignored → a function)"
            ])
        #expect(
            texts { $0.signals[13]?.mask = 1 } == [
                "what the signal SIGPIPE does (its flags or its mask)"
            ])
        #expect(
            texts { $0.signals[13]?.flags = 4 } == [
                "what the signal SIGPIPE does (its flags or its mask)"
            ])
        #expect(
            texts { $0.signalMask = 1 << 14 | 1 } == [
                "the signal mask of the thread (none → SIGHUP SIGTERM)"
            ])
        #expect(
            texts { $0.signalMask = .max }
                == ["the signal mask of the thread (none → 64 signals)"])
        #expect(
            texts {
                $0.signalStack = ProcessState.SignalStack(address: 4096, bytes: 8192, flags: 0)
            } == ["the alternate signal stack of the thread (none → 8192 bytes)"])
        #expect(
            texts { $0.floatControl = 0x37f_0000_9fc0 }
                == ["the floating-point control of the thread (0x37f00001f80 → 0x37f00009fc0)"])
        #expect(texts { $0.umask = 0 } == ["the umask (022 → 00)"])
        #expect(
            texts { $0.directory = ProcessState.Directory(device: 1, file: 3, path: "/b") }
                == ["the working directory (/a → /b)"])
    }

    @Test("whose rights there are, where the root is, and who closed descriptors")
    func belongings() {
        #expect(
            texts { $0.users.effective = 65_534 }
                == ["the user ids of the process (effective 0 → 65534)"])
        #expect(
            texts { $0.groups = ProcessState.Identity(real: 7, effective: 7, saved: 5) }
                == ["the group ids of the process (real 5 → 7, effective 5 → 7)"])
        #expect(texts { $0.root?.file = 9 } == ["the root directory (by chroot)"])
        #expect(texts { $0.root = nil } == [])
        #expect(
            texts {
                $0.hasDescriptors = false
                $0.umask = 0
            } == [
                "descriptors of the host's (it closed them, or put others in their places)",
                "the umask (022 → 00)",
            ])
    }

    @Test("several changes come one by one, signals by their numbers")
    func several() {
        let texts = texts {
            $0.umask = 0o77
            $0.signals[13] = .ignored
            $0.signals[1] = .ignored
            $0.signalMask = 2
        }
        #expect(texts.count == 4)
        #expect(texts[0].contains("SIGHUP") && texts[1].contains("SIGPIPE"))
        #expect(texts[2].contains("mask of the thread") && texts[3].contains("umask"))
    }

    @Test("what the Swift runtime does when it comes in is nobody's fault")
    func runtime() {
        let stack = ProcessState.SignalStack(address: 4096, bytes: 8192, flags: 0)
        #expect(
            texts {
                $0.signals[11] = action(150)
                $0.signals[10] = action(150)
                $0.signalStack = stack
            } == [])
        // The rest still is, and so is a stack without the functions that need it.
        #expect(
            texts {
                $0.signals[11] = action(150)
                $0.signals[13] = .ignored
                $0.umask = 0
            }.count == 2)
        #expect(texts { $0.signalStack = stack }.count == 1)
    }

    @Test("the runtime takes no signal that somebody has a function for")
    func runtimeTakesNothing() {
        var before = before
        before.signals[11] = action(999)
        var after = before
        after.signals[11] = action(150)
        #expect(ProcessStateChange.blamed(before.changes(to: after), file: file).count == 1)
    }
}
