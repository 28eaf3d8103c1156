// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// Starts programs of tests, each in a process group of its own.
package enum ProcessGroup {
    /// Starts a program by its path or its name in PATH. What the test runner ignores or blocks is not
    /// the program's concern. Returns its process, or errno.
    package static func spawn(
        _ words: [String], environment: [String: String],
        _ actions: inout posix_spawn_file_actions_t
    ) -> (process: pid_t, code: Int32) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let texts = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in texts + variables { free(text) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, words[0], &actions, &attributes, texts, variables)
        return (process, code)
    }

    /// Takes a process that has ended away, and says how it ended.
    package static func reap(_ process: pid_t) -> ChildProcess.Ending {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // <sys/wait.h>: the low seven bits are the signal, the next byte is the exit status.
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}
