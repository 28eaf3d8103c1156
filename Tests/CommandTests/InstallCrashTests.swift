// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Installations that end at each of their steps, or whose disk is full at one.
@Suite("An installation that is broken off")
struct InstallCrashTests {
    private let desk: InstallDesk

    /// Comes before libc by LD_PRELOAD: at call number STOP_AT of those that change files, the
    /// process is killed, or, with STOP_BY=full, no call from there on finds any room.
    private static let calls = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <unistd.h>

        static int calls;

        static int stops(int takes_room) {
            const char *at = getenv("STOP_AT"), *by = getenv("STOP_BY");
            if (!at) return 0;
            calls++;
            if (by && strcmp(by, "full") == 0) {
                if (calls < atoi(at) || !takes_room) return 0;
                errno = ENOSPC;
                return 1;
            }
            if (calls == atoi(at)) raise(SIGKILL);
            return 0;
        }

        #define REAL(name, ...) ((__VA_ARGS__)dlsym(RTLD_NEXT, name))

        int fsync(int fd) {
            if (stops(1)) return -1;
            return REAL("fsync", int (*)(int))(fd);
        }
        int mkdirat(int fd, const char *name, mode_t mode) {
            if (stops(1)) return -1;
            return REAL("mkdirat", int (*)(int, const char *, mode_t))(fd, name, mode);
        }
        int mkdir(const char *name, mode_t mode) {
            if (stops(1)) return -1;
            return REAL("mkdir", int (*)(const char *, mode_t))(name, mode);
        }
        ssize_t write(int fd, const void *bytes, size_t count) {
            if (fd > 2 && stops(1)) return -1;
            return REAL("write", ssize_t(*)(int, const void *, size_t))(fd, bytes, count);
        }
        int openat(int fd, const char *name, int flags, ...) {
            va_list rest;
            va_start(rest, flags);
            mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
            va_end(rest);
            if (flags & O_CREAT && stops(1)) return -1;
            return REAL("openat", int (*)(int, const char *, int, ...))(fd, name, flags, mode);
        }
        int unlinkat(int fd, const char *name, int flags) {
            if (stops(0)) return -1;
            return REAL("unlinkat", int (*)(int, const char *, int))(fd, name, flags);
        }
        int renameat(int a, const char *from, int b, const char *to) {
            if (stops(1)) return -1;
            return REAL("renameat", int (*)(int, const char *, int, const char *))(a, from, b, to);
        }
        int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
            if (stops(1)) return -1;
            return REAL("renameat2", int (*)(int, const char *, int, const char *, unsigned))(
                a, from, b, to, flags);
        }
        """#

    init() throws {
        desk = try InstallDesk()
        try desk.files.write(Self.calls + "\n", to: "calls.c")
        try desk.files.run("gcc", ["-shared", "-fPIC", "-w", "-o", "calls.so", "calls.c", "-ldl"])
        try desk.plugin("one", version: "1.0.0")
        try desk.plugin("two", version: "2.0.0")
        guard try desk.run("install", "one").code == 0 else {
            throw TestFault(text: "not installed")
        }
        try desk.files.run("cp", ["-a", "home", "before"])
    }

    private func reset() throws {
        try desk.files.run("sh", ["-c", "rm -rf home && cp -a before home"])
    }

    private func run(_ words: [String], at call: Int, by end: String) throws -> ChildProcess {
        try ChildProcess.run(
            CommandRun.program, words,
            environment: CommandRun.environment.merging(desk.environment) { $1 }.merging([
                "LD_PRELOAD": desk.files.path("calls.so"), "STOP_AT": "\(call)", "STOP_BY": end,
            ]) { $1 }, directory: desk.files.path, limit: .seconds(60))
    }

    /// Which of the two is installed, whole: the name of its source.
    private var whole: String? {
        ["one", "two"].first {
            FileManager.default.contentsEqual(atPath: desk.files.path($0), andPath: desk.installed)
        }
    }

    /// Ends a command at each of its calls in turn, until it comes to its end.
    ///
    /// - Returns: the number of calls it was ended at.
    private func everywhere(
        _ words: [String], by end: String, _ check: (ChildProcess, Int) throws -> Void
    ) throws -> Int {
        var call = 0
        while true {
            call += 1
            try reset()
            let process = try run(words, at: call, by: end)
            if process.succeeded { return call - 1 }
            try check(process, call)
            try #require(call < 500)
        }
    }

    /// What a kill has left must not stand in the way of the next command.
    private func goesOn(_ call: Int) throws {
        let next = try desk.run("install", "two")
        #expect(next.code == 0, "after call \(call): \(next.process)")
        #expect(whole == "two", "after call \(call)")
        #expect(try desk.run("verify").code == 0, "after call \(call)")
        #expect(desk.names(desk.plugins) == [InstallDesk.id], "after call \(call)")
        #expect(!desk.names(desk.store).contains(".new"), "after call \(call)")
        let back = try desk.run("rollback", InstallDesk.id)
        #expect(back.code == 0 && whole == "one", "after call \(call): \(back.process)")
    }

    @Test("killed at any step it leaves the old version or the new one, and the next one goes on")
    func killed() throws {
        var olds = 0
        var news = 0
        let calls = try everywhere(["install", "two"], by: "kill") { process, call in
            #expect(process.ending == .signalled(SIGKILL), "\(process)")
            let found = whole
            #expect(found != nil, "after call \(call)")
            if found == "two" { news += 1 } else { olds += 1 }
            if found == "two" {
                // No change without a line.
                #expect(try desk.audit().last?["version"] as? String == "2.0.0")
            }
            try goesOn(call)
        }
        #expect(calls > 30 && olds > 25 && news > 3, "\(calls): \(olds) old, \(news) new")
    }

    @Test("a rollback and a removal that are killed leave one of both, too")
    func others() throws {
        #expect(try desk.run("install", "two").code == 0)
        try desk.files.run("sh", ["-c", "rm -rf before && cp -a home before"])
        let back = try everywhere(["rollback", InstallDesk.id], by: "kill") { _, call in
            #expect(whole != nil, "after call \(call)")
            try isRepaired(call)
        }
        let removed = try everywhere(["remove", InstallDesk.id], by: "kill") { _, call in
            let isThere = FileManager.default.fileExists(atPath: desk.installed)
            #expect(!isThere || whole == "two", "after call \(call)")
            try isRepaired(call)
        }
        #expect(back > 20 && removed > 5, "\(back), \(removed)")
    }

    /// Installs the second version, and goes back to the first one.
    private func isRepaired(_ call: Int) throws {
        let next = try desk.run("install", "two")
        #expect(next.code == 0 && whole == "two", "after call \(call): \(next.process)")
        let back = try desk.run("rollback", InstallDesk.id)
        #expect(back.code == 0 && whole == "one", "after call \(call): \(back.process)")
    }

    @Test("a disk that is full at any step leaves the old version, and says so")
    func full() throws {
        let calls = try everywhere(["install", "two"], by: "full") { process, call in
            let text = process.errorOutput
            #expect(text.contains("No space left on device"), "at call \(call): \(process)")
            #expect(process.ending == .exited(6), "at call \(call): \(process)")
            // Only the last thing of all, waiting for the disk, can fail after the change.
            let note = whole == "one" ? "nothing was changed" : "a loss of power may undo that"
            #expect(whole != nil && text.contains(note), "at call \(call): \(process)")
            try goesOn(call)
        }
        #expect(calls > 25, "\(calls)")
    }

    @Test("two installations at once do not mix")
    func atOnce() throws {
        let environment = CommandRun.environment.merging(desk.environment) { $1 }
        for _ in 0..<10 {
            try reset()
            let run = try ChildProcess.run(
                "sh",
                [
                    "-c",
                    "'\(CommandRun.program)' install one & a=$!; '\(CommandRun.program)' install two & b=$!; wait $a && wait $b",
                ], environment: environment, directory: desk.files.path, limit: .seconds(60))
            #expect(run.succeeded, "\(run)")
            #expect(whole != nil)
            #expect(try desk.run("verify").code == 0)
            #expect(desk.names(desk.plugins) == [InstallDesk.id])
        }
    }
}
