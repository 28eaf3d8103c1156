// SPDX-License-Identifier: Apache-2.0
import Glibc
import Scheduling

/// The messages of a case's child, and how it ended.
struct CaseReport {
    private let child: ContainedChild
    private let tested: ConformanceCase

    /// Nanoseconds it could take.
    private let limit: UInt64

    init(_ child: ContainedChild, _ tested: ConformanceCase, limit: UInt64? = nil) {
        self.limit = limit ?? tested.limit
        self.child = child
        self.tested = tested
    }

    private func last(_ word: String) -> String? { child.lines.last { $0.word == word }?.text }

    /// The phase in which it ended, as an addition to the message.
    private var phase: String { at?.text ?? "before it was loaded" }

    /// The seed of what was tried last.
    var seed: UInt64? { at?.seed }

    /// The examples or handlers that it had no time for.
    var leftOut: Int {
        child.lines.filter { $0.word == "left" }.compactMap { Int($0.text) }.max() ?? 0
    }

    /// The duration of the longest success example, if it was measured.
    var pace: UInt64? { last("pace").flatMap { UInt64($0) } }

    private var at: (seed: UInt64?, text: String)? {
        last("at").map { told in
            let parts = told.parts(at: " ", maxSplits: 1)
            return (parts.first.flatMap { UInt64($0) }, parts.count > 1 ? String(parts[1]) : "")
        }
    }

    var verdict: CaseVerdict {
        let verdict = ownVerdict
        let chaos = child.lines.filter(\.isChance).suffix(8).map { "before: \($0.text)" }
        guard verdict.status.isFailure, !chaos.isEmpty else { return verdict }
        return CaseVerdict(verdict.status, verdict.text, notes: verdict.notes + chaos)
    }

    private var ownVerdict: CaseVerdict {
        let isLeaving = child.lines.contains(where: \.isLast)
        let phase = isLeaving ? "at the end of the process" : self.phase
        switch child.ending {
        case .timedOut where tested.isAboutExit, .signalled where tested.isAboutExit:
            return .skip("it did not come to its end, which another case tells of")
        case .timedOut:
            let limit = isLeaving ? ContainedChild.leavingLimit : self.limit
            return CaseVerdict(
                .timeout,
                "did not come back within \(limit / 1_000_000_000) s \(phase), and was killed")
        case .tooMuch:
            return .fail("wrote to the kit's own descriptor \(phase), and was killed")
        case .unwatched:
            return .fail("ended the process that started its own \(phase), and was killed")
        case .signalled(let signal):
            return CaseVerdict(
                .crash, "died of \(ProcessFacts.name(ofSignal: signal)) \(phase)",
                notes: place + written)
        case .exited(let status):
            guard let told else {
                if isLeaving, let found = last("found") { return .fail(found) }
                if isLeaving, status == CaseRun.leavingStatus {
                    return silenced(CaseVerdict(.pass))
                }
                let what =
                    status == LogPipe.closedStatus
                    ? "closed descriptors that are not its own"
                    : "ended the process with status \(status)"
                return .fail("\(what) \(phase)", notes: written)
            }
            // The end of a process of the plugin's own is told by the kit's.
            let starts = ["its process exited ", "a child that it forked called exit"]
            let isExit = starts.contains { told.text.hasPrefix($0) }
            guard !tested.isAboutExit || !told.status.isFailure || isExit else {
                return .skip("it did not come to its end, which another case tells of")
            }
            return silenced(told)
        }
    }

    /// Where it crashed.
    private var place: [String] {
        guard let place = last("crash") else { return [] }
        // "libtidy.so+0x11d9 (tidy_run+0x19)"
        let parts = place.prefix { $0 != " " }.split(separator: "+")
        let inner = last("crash-inside").map { ["in what it had called: \($0)"] } ?? []
        guard parts.count == 2 else { return ["in \(place)"] + inner }
        return ["in \(place): addr2line -fe \(parts[0]) \(parts[1])"] + inner
    }

    /// The output before a crash, usually the text of an assertion.
    private var written: [String] { lines(of: child.errors) }

    /// The verdict that the case itself reported.
    private var told: CaseVerdict? {
        guard let text = last("verdict") else { return nil }
        let parts = text.parts(at: " ", maxSplits: 1, omittingEmpty: false)
        guard let status = parts.first.flatMap({ CaseStatus(rawValue: String($0)) }) else {
            return nil
        }
        return CaseVerdict(
            status, parts.count > 1 ? String(parts[1]) : "",
            notes: child.lines.filter { $0.word == "note" }.map(\.text))
    }

    /// A pass where nothing was to be written, and something was, is none.
    private func silenced(_ verdict: CaseVerdict) -> CaseVerdict {
        guard verdict.status == .pass, let silent = last("silent") else { return verdict }
        let parts = silent.parts(at: " ", maxSplits: 1)
        guard parts.count == 2, let limit = Int(parts[0]) else { return verdict }
        if child.outputCount > 0 {
            return .fail(
                "\(parts[1]) \(child.outputCount) bytes to standard output",
                notes: lines(of: child.output))
        }
        if child.errorCount > limit {
            return .fail(
                "\(parts[1]) \(child.errorCount) bytes to standard error",
                notes: lines(of: child.errors))
        }
        return verdict
    }

    private func lines(of bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).prefix(3)
            .map { "it wrote: \($0)" }
    }
}
