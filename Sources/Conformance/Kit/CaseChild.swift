// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Scheduling

/// The child in which a case is run.
package enum CaseChild {
    /// The first word of its command line; it stands in no help.
    private static var name: String { "__case" }

    /// Whether this process is the child in which a case is run.
    static let isThis = CommandLine.arguments.dropFirst().first == name

    static func words(
        _ tested: ConformanceCase, _ plugin: String, seed: UInt64, pace: UInt64, share: UInt64,
        isReproducing: Bool, _ isolation: Isolation,
        in directory: String
    ) -> [String] {
        [
            name, tested.name, plugin, String(seed), isReproducing ? "reproduce" : "all", directory,
            String(pace), isolation.name, String(share),
        ]
    }

    /// Runs the case and ends the process. Returns where the words are not those of a child.
    package static func runIfAsked(_ words: [String]) {
        guard words.count == 9, words[0] == name, let tested = ConformanceCase.named(words[1]),
            let seed = UInt64(words[3]), let pace = UInt64(words[6]), let log = LogPipe(),
            let isolation = Isolation(name: words[7]), let share = UInt64(words[8])
        else { return }
        guard chdir(words[5]) == 0 else { _exit(1) }
        // As a host has them that knows nothing of the kit, so that a change is one.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
        // Files that a handler writes to its user's directories disappear with this one.
        setenv("HOME", words[5], 1)
        let temporary = words[5].appending(component: CaseRun.temporaryName)
        mkdir(temporary, 0o700)
        setenv("TMPDIR", temporary, 1)
        for kind in ["CACHE", "CONFIG", "DATA", "STATE"] { unsetenv("XDG_\(kind)_HOME") }
        let subject = Subject(directory: words[2])
        // In a process of the plugin's own, its host tells.
        if isolation == .thread {
            log.tellsCrashes("crash", inside: "crash-inside", in: subject.libraryPath ?? "")
        }
        let run = CaseRun(
            subject, seed: seed, pace: pace, share: share, turn: Int(tested.fault.number),
            isReproducing: words[4] == "reproduce", isolation, log)
        let verdict = run.verdict(tested.body)
        for note in verdict.notes.prefix(20) { log.send("note", note) }
        log.send("verdict", "\(verdict.status.rawValue) \(verdict.text)")
        // Nothing of the plugin's is run any more.
        _exit(0)
    }
}
