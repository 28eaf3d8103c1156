// SPDX-License-Identifier: Apache-2.0
import CSystem
import Conformance
import Curfew
import CurfewValues
import PluginBridge
import Runner

/// The child of `curfew inspect --load`: loads a plugin, tells what that did, retires it, and ends.
struct TrialChild {
    /// The first word of its command line; it stands in no help.
    static var name: String { "__load" }

    private let log: LogPipe

    /// Returns nil where the words are not those of a child.
    static func run(_ words: [String]) -> ExitCode? {
        guard words.count == 2, words[0] == name, let log = LogPipe() else { return nil }
        let child = TrialChild(log: log)
        do {
            try child.load(words[1])
            return .ok
        } catch {
            let known = error as? CurfewError
            let status = known?.code ?? (error as? BridgeError)?.status
            child.tell(.refused, "\(status?.rawValue ?? 0) \(known?.rule ?? "-") \(error)")
            return .refused
        }
    }

    private func load(_ directory: String) throws {
        var configuration = HostConfiguration()
        configuration.log = { [self] level, _, _, line in
            tell(.log, "\(level.rawValue) \(line)")
        }
        let host = try Host(configuration)
        defer { try? host.shutDown() }
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
    private func compare(_ before: ProcessFacts) {
        let now = ProcessFacts()
        for (number, name) in now.threads.sorted(by: { $0.key < $1.key })
        where before.threads[number] == nil && isNew("thread \(number)") {
            tell(.thread, name)
        }
        for process in ContainedChild.startedByThis where isNew("process \(process)") {
            let name = ProcessFacts.target(of: "/proc/\(process)/exe") ?? "?"
            tell(.process, "\(name) (\(process))")
        }
        let descriptors = ProcessFacts.lasting {
            ProcessFacts.openDescriptors.filter { before.descriptors[$0.key] != $0.value }
        }
        for (number, target) in descriptors.sorted(by: { $0.key < $1.key })
        where isNew("descriptor \(number) \(target)") {
            tell(.descriptor, "\(number) \(target)")
        }
        for number in now.signals.subtracting(before.signals).sorted()
        where isNew("signal \(number)") { tell(.signal, ProcessFacts.name(ofSignal: number)) }
    }

    private static let told = Locked<Set<String>>([])

    private func isNew(_ fact: String) -> Bool {
        Self.told.withLock { $0.insert(fact).inserted }
    }

    private func tell(_ word: TrialRecord.Word, _ text: String = "") {
        log.send(word.rawValue, text)
    }
}
