// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// What a plugin changes in the process while it is loaded is put back, and told.
@Suite("What a plugin changes while it is loaded")
struct LoadingStateTests {
    /// Loads a plugin whose entry does something. Returns the lines about misbehaviour.
    private func lines(
        _ change: @escaping () -> Void, answer: Answer = .ok, fails: Bool = false,
        ending: String = "that was restored"
    ) throws -> [String] {
        let host = try TestHost()
        let plugin = try HookedPlugin { api, _, error in
            change()
            if fails { return curfew_status(CURFEW_FAILED) }
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(plugin.load(in: host).answer == answer)
        let lines = host.log.value.filter { $0.hasPrefix("\(CURFEW_LOG_CONTRACT_VIOLATION) ") }
        #expect(host.counts.contract_violations == UInt64(lines.count))
        for line in lines {
            #expect(line.contains("[org.example.hooked]"))
            #expect(line.contains("CF0727 process-state: "))
            #expect(line.contains("\"org.example.hooked\" changed "))
            #expect(line.hasSuffix(" while it was loaded: \(ending)"), "\(line)")
        }
        return lines
    }

    @Test("nothing is told of one that changes nothing")
    func nothing() throws {
        #expect(try lines {} == [])
    }

    @Test("a signal that is ignored or gets a function, one line each")
    func signals() throws {
        let before = signal(SIGUSR2, SIG_DFL)
        defer { _ = signal(SIGUSR2, before) }
        let found = try lines {
            _ = signal(SIGUSR2, SIG_IGN)
            _ = signal(SIGURG) { _ in }
        }
        #expect(found.count == 2)
        #expect(found[0].contains("what the signal SIGUSR2 does (default → ignored)"))
        #expect(found[1].contains("what the signal SIGURG does (default → a function of /"))
        for number in [SIGUSR2, SIGURG] {
            var action = sigaction()
            #expect(sigaction(number, nil, &action) == 0)
            #expect(action.__sigaction_handler.sa_handler == nil, "\(number)")
        }
    }

    @Test("the signal mask of the thread")
    func mask() throws {
        // The thread of a test may block anything.
        var none = sigset_t()
        sigemptyset(&none)
        var before = sigset_t()
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let found = try lines {
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, SIGUSR1)
            pthread_sigmask(SIG_BLOCK, &set, nil)
        }
        #expect(found.count == 1)
        #expect(found.first?.contains("the signal mask of the thread (none → SIGUSR1)") == true)
        var now = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &now)
        #expect(sigismember(&now, SIGUSR1) == 0)
    }

    @Test("the alternate signal stack of the thread")
    func stack() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 65_536, alignment: 16)
        var before = stack_t()
        sigaltstack(nil, &before)
        nonisolated(unsafe) let address = memory
        let found = try lines {
            var stack = stack_t()
            stack.ss_sp = address
            stack.ss_size = 65_536
            sigaltstack(&stack, nil)
        }
        #expect(found.count == 1)
        #expect(found.first?.contains("the alternate signal stack of the thread (") == true)
        var after = stack_t()
        sigaltstack(nil, &after)
        #expect(after.ss_flags == before.ss_flags)
        #expect(after.ss_sp == before.ss_sp || before.ss_flags != 0)
        if after.ss_sp != memory { memory.deallocate() }
    }

    @Test("the floating-point control of the thread")
    func floatControl() throws {
        let before = fegetround()
        let found = try lines { fesetround(FE_TOWARDZERO) }
        #expect(found.count == 1)
        #expect(found.first?.contains("the floating-point control of the thread (0x") == true)
        #expect(fegetround() == before)
    }

    @Test("what arithmetic leaves behind is no change")
    func floatFlags() throws {
        #expect(try lines { feraiseexcept(FE_INEXACT | FE_DIVBYZERO) } == [])
    }

    @Test("the umask and the working directory")
    func surroundings() throws {
        let mask = umask(0o27)
        defer { umask(mask) }
        let directory = FileManager.default.currentDirectoryPath
        let found = try lines {
            umask(0)
            chdir("/usr")
        }
        #expect(found.count == 2)
        #expect(found[0].contains("the umask (027 → 00)"))
        #expect(found[1].contains("the working directory (\(directory) → /usr)"))
        #expect(umask(0o27) == 0o27)
        #expect(FileManager.default.currentDirectoryPath == directory)
    }

    private static let isRoot = geteuid() == 0

    @Test("the user and the group, where they can be had back", .enabled(if: isRoot))
    func ids() throws {
        let found = try lines {
            setegid(65_534)
            seteuid(65_534)
        }
        #expect(found.count == 2)
        #expect(found[0].contains("the user ids of the process (effective 0 → 65534)"))
        #expect(found[1].contains("the group ids of the process (effective 0 → 65534)"))
        #expect(geteuid() == 0 && getegid() == 0)
    }

    @Test("the root directory", .enabled(if: isRoot))
    func root() throws {
        let directory = FileManager.default.currentDirectoryPath
        let found = try lines { _ = chroot("/usr") }
        #expect(found.count == 1)
        #expect(found.first?.contains("the root directory (by chroot)") == true)
        #expect(access("/usr/bin", F_OK) == 0)
        #expect(FileManager.default.currentDirectoryPath == directory)
    }

    @Test("descriptors that the host has opened meanwhile cannot be had back")
    func descriptors() throws {
        func open() -> Set<Int32> {
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return Set((names ?? []).compactMap { Int32($0) })
        }
        let before = open()
        let found = try lines(
            {
                for number in open().subtracting(before) {
                    var target = [CChar](repeating: 0, count: 4_096)
                    readlink("/proc/self/fd/\(number)", &target, 4_095)
                    if target[0] == 47, target[1] == 0 { close(number) }
                }
            }, ending: "that cannot be restored, and this process has to be started again")
        #expect(found.count == 1)
        #expect(found.first?.contains("descriptors of the host's (it closed them") == true)
    }

    @Test("a plugin that is refused is put back as well")
    func refused() throws {
        let found = try lines({ _ = signal(SIGUSR2, SIG_IGN) }, answer: .failed, fails: true)
        #expect(found.count == 1)
        #expect(signal(SIGUSR2, SIG_DFL) == nil)
    }

    @Test("what a constructor changes, before anything of the plugin is called")
    func constructor() throws {
        let files = try TemporaryDirectory()
        let plugin = try HookedPlugin()
        try files.write(
            """
            #include <curfew/plugin.h>
            #include <fenv.h>
            #include <signal.h>
            CURFEW_PLUGIN_NOTE();
            __attribute__((constructor)) static void change(void) {
                signal(SIGPIPE, SIG_IGN);
                fesetround(FE_UPWARD);
            }
            CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
                const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
                return CURFEW_FAILED;
            }
            """, to: "plugin.c")
        let build = try ChildProcess.run(
            "gcc",
            [
                "-shared", "-fPIC", "-w", "-I", "\(BuiltProducts.packageRoot)/include", "plugin.c",
                "-o", plugin.directory + "/libhooked.so", "-lm",
            ], directory: files.path)
        try #require(build.succeeded, "\(build.errorOutput)")
        let before = signal(SIGPIPE, SIG_DFL)
        defer { _ = signal(SIGPIPE, before) }
        let host = try TestHost()
        #expect(plugin.load(in: host).answer == .failed)
        let lines = host.log.value.filter { $0.contains("CF0727 process-state: ") }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("what the signal SIGPIPE does (default → ignored)") == true)
        #expect(signal(SIGPIPE, SIG_DFL) == nil)
        #expect(fegetround() == FE_TONEAREST)
    }

    @Test("other hosts, scans, queries and shutdowns go on while an entry takes its time")
    func slowEntry() throws {
        let isInside = Guarded(false)
        let mayLeave = Guarded(false)
        let slow = try TestHost()
        let plugin = try HookedPlugin(id: "org.example.slow") { api, _, error in
            isInside.change { $0 = true }
            _ = mayLeave.wait { $0 }
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        let loaded = Guarded<Answer?>(nil)
        let thread = Thread {
            let answer = plugin.load(in: slow).answer
            loaded.change { $0 = answer }
        }
        thread.start()
        #expect(isInside.wait { $0 })
        // The same host answers.
        #expect(curfew_host_get_plugin_count(slow.raw) == 1)
        #expect(Answer(curfew_host_scan_plugins(slow.raw, plugin.directory, nil, nil)) == .ok)
        #expect(slow.tryRegister("org.example.own").answer == .ok)
        #expect(slow.wait(try slow.launch("org.example.own")) == .ok)
        // Another one loads when its turn comes, and gives up when it is shut down before.
        let other = try TestHost()
        let waiting = Guarded<Answer?>(nil)
        let second = try HookedPlugin(id: "org.example.second")
        let waiter = Thread {
            let answer = second.load(in: other).answer
            waiting.change { $0 = answer }
        }
        waiter.start()
        let third = try TestHost()
        let ofThird = Guarded<Answer?>(nil)
        let patient = try HookedPlugin(id: "org.example.third")
        let last = Thread {
            let answer = patient.load(in: third).answer
            ofThird.change { $0 = answer }
        }
        last.start()
        #expect(other.shutDown() == .ok)
        #expect(waiting.wait { $0 != nil })
        #expect(waiting.value == .closing)
        #expect(ofThird.value == nil)
        mayLeave.change { $0 = true }
        #expect(loaded.wait { $0 != nil })
        #expect(ofThird.wait { $0 != nil })
        #expect(loaded.value == .ok)
        #expect(ofThird.value == .ok)
    }

    @Test("a load from inside the entry of another host's plugin is WRONG_THREAD")
    func nested() throws {
        let outer = try TestHost()
        let inner = try TestHost()
        let answer = Guarded<Answer?>(nil)
        let plugin = try HookedPlugin { api, _, error in
            let said = inner.load(BuiltProducts.testPluginDirectory("patient")).answer
            answer.change { $0 = said }
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(plugin.load(in: outer).answer == .ok)
        #expect(answer.value == .wrongThread)
        #expect(inner.load(BuiltProducts.testPluginDirectory("patient")).answer == .ok)
    }

    @Test("an entry that never returns holds others up only until its host is given up")
    func hungEntry() throws {
        let (host, other) = (try TestHost(), try TestHost())
        let stuck = Stuck()
        let plugin = try HookedPlugin { _, _, _ in
            stuck.entered.send()
            _ = stuck.go.wait()
            return curfew_status(CURFEW_FAILED)
        }
        let hung = Side { plugin.load(in: host).answer }
        #expect(stuck.entered.wait())
        let waiting = Side { other.load(BuiltProducts.testPluginDirectory("patient")).answer }
        #expect(host.destroy(leave: .millisecond) == .timedOut)
        #expect(waiting.join() == .ok)
        stuck.go.send()
        #expect(hung.join() == .failed)
        let third = try HookedPlugin(id: "org.example.third", handlers: ["org.example.third"])
        #expect(third.load(in: other).answer == .ok)
    }
}
