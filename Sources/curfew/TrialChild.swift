// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Runner
import Synchronization

/// The child of `curfew inspect --load`: loads a plugin, tells what that did, retires it, and ends.
enum TrialChild {
    /// The first word of its command line; it stands in no help.
    static var name: String { "__load" }
    /// Where it tells: far from the numbers that a plugin might close or take.
    static var descriptor: Int32 { 63 }

    /// Returns nil where the words are not those of a child.
    static func run(_ words: [String]) -> ExitCode? {
        guard words.count == 2, words[0] == name, fcntl(descriptor, F_GETFD) != -1 else {
            return nil
        }
        csys_die_with_parent()
        // Whoever crashes here is expected to: nothing is left lying about.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        do {
            try load(words[1])
            return .ok
        } catch {
            let known = error as? CurfewError
            tell(.refused, "\(known?.code.rawValue ?? 0) \(known?.rule ?? "-") \(error)")
            return .refused
        }
    }

    private static func load(_ directory: String) throws {
        var configuration = HostConfiguration()
        configuration.log = { level, _, _, line in tell(.log, "\(level.rawValue) \(line)") }
        let host = try Host(configuration)
        let before = ProcessFacts()
        tell(.loading)
        let start = csys_monotonic_ns()
        defer { compare(before) }
        try host.load(plugin: directory)
        tell(.loaded, String(csys_monotonic_ns() - start))
        for handler in host.handlers { tell(.handler, handler.identifier) }
        compare(before)
        tell(.retiring)
        try host.runtime.destroy()
        tell(.retired)
    }

    /// Tells what is new since then, once.
    private static func compare(_ before: ProcessFacts) {
        let now = ProcessFacts()
        for (number, name) in now.threads.sorted(by: { $0.key < $1.key })
        where before.threads[number] == nil && isNew("thread \(number)") {
            tell(.thread, name)
        }
        for (number, target) in now.descriptors.sorted(by: { $0.key < $1.key })
        where before.descriptors[number] != target && isNew("descriptor \(number) \(target)") {
            tell(.descriptor, "\(number) \(target)")
        }
        for number in now.signals.subtracting(before.signals).sorted()
        where isNew("signal \(number)") { tell(.signal, ProcessFacts.name(ofSignal: number)) }
    }

    private static let told = Mutex<Set<String>>([])

    private static func isNew(_ fact: String) -> Bool {
        told.withLock { $0.insert(fact).inserted }
    }

    private static let writing = Mutex<Void>(())

    /// A line is written whole, or the parent has gone and nobody reads.
    private static func tell(_ word: TrialRecord.Word, _ text: String = "") {
        var line = TrialRecord(word, text).line
        writing.withLock { _ in
            line.withUTF8 { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = write(descriptor, rest.baseAddress, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        }
    }
}
