// SPDX-License-Identifier: Apache-2.0
import Conformance
import Glibc
import PluginBridge
import Scheduling

/// The result of loading a plugin in a child process, which can be killed.
struct Trial {
    /// The time limit, in nanoseconds.
    let limit: UInt64
    let ending: ContainedChild.Ending
    let records: [TrialRecord]
    /// The beginning of what it wrote to standard output, and then of that to standard error.
    let output: [UInt8]
    /// The number of bytes beyond the limit.
    let unreadOutput: Int

    /// The default time limit for loading, in nanoseconds.
    static var usualLimit: UInt64 { 10_000_000_000 }

    /// Loads the plugin in a directory in a child of this program.
    init(directory: String, limit: UInt64) throws(CommandError) {
        self.limit = limit
        do throws(ContainmentError) {
            let child = try ContainedChild([TrialChild.name, directory], limit: limit)
            ending = child.ending
            records = child.lines.compactMap(TrialRecord.init)
            output = child.output + child.errors
            unreadOutput = child.outputCount + child.errorCount - output.count
        } catch {
            throw CommandError(
                .host, error.description, notes: ["the plugin was not loaded"],
                help: error.help.map { [$0] } ?? [])
        }
    }

    /// The phase in which the child ended: the last one that it reported.
    var phase: TrialRecord.Word? {
        records.last {
            switch $0.word {
            case .loading, .loaded, .refused, .retiring, .retired: true
            case .handler, .thread, .process, .descriptor, .signal, .log: false
            }
        }?.word
    }

    func texts(_ word: TrialRecord.Word) -> [String] {
        records.filter { $0.word == word }.map(\.text)
    }
}

extension Trial {
    /// The plugin was loaded and retired, and its process ended as it should.
    var isSound: Bool { phase == .retired && ending == .exited(0) }

    /// Nanoseconds; nil when it was not loaded.
    var loadTime: UInt64? { texts(.loaded).first.flatMap { UInt64($0) } }

    /// Why the host refused it: the status, what explains it, and the host's words.
    var refusal: (status: Status, fault: Fault?, reason: String)? {
        guard let text = texts(.refused).last else { return nil }
        let parts = text.parts(at: " ", maxSplits: 2, omittingEmpty: false)
        guard parts.count == 3, let number = Int32(parts[0]) else { return nil }
        let status = Status(rawValue: number)
        return (status, Fault.named(String(parts[1])) ?? Fault.of(status), String(parts[2]))
    }

    /// The lines of the log.
    var log: [(level: LogLevel, line: String)] {
        texts(.log).compactMap { text in
            let parts = text.parts(at: " ", maxSplits: 1, omittingEmpty: false)
            guard parts.count == 2, let level = Int32(parts[0]).flatMap(LogLevel.init(rawValue:))
            else { return nil }
            return (level, String(parts[1]))
        }
    }

    /// The phase in which it ended, as an addition to the message.
    private var during: String {
        switch phase {
        case nil: "before it was loaded"
        case .loading: "while it was loaded"
        case .loaded: "after it was loaded"
        case .retiring: "while it was retired"
        case .refused: "at its exit, after it was refused"
        default: "at its exit, after it was retired"
        }
    }

    /// The outcome in a few words: lower case, no full stop.
    var outcome: String {
        switch ending {
        case .exited(0) where phase == .retired: "loaded, retired and ended"
        case .exited where phase == .refused:
            texts(.retiring).isEmpty ? "refused" : "did not return while it was retired"
        case .exited(LogPipe.closedStatus): "closed descriptors that are not its own \(during)"
        case .exited(let status): "ended the process with status \(status) \(during)"
        case .signalled(let signal):
            "died of \(ProcessFacts.name(ofSignal: signal)) \(during)"
        case .timedOut:
            "did not return within \(TimeText.limit(limit)) \(during), and was killed"
        case .unwatched: "ended the process that watches it \(during), and was killed"
        case .tooMuch: "exceeded the output limit \(during), and was killed"
        }
    }
}

/// One message of the child of `curfew inspect --load`.
struct TrialRecord {
    enum Word: String {
        /// The plugin is about to be loaded.
        case loading
        /// The library is loaded; the text is the time it took, in nanoseconds.
        case loaded
        /// The plugin was refused, or did not retire: status, rule or "-", and reason.
        case refused
        case handler
        /// Things that appeared while the plugin was loaded.
        case thread, process, descriptor, signal
        /// A log line: its level and a blank before it.
        case log
        /// The plugin is about to be retired, and has been.
        case retiring, retired
    }

    let word: Word
    let text: String

    /// Nil for a line that is none.
    init?(_ line: ChildLine) {
        guard let word = Word(rawValue: line.word) else { return nil }
        self.word = word
        text = line.text
    }
}
