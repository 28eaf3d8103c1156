// SPDX-License-Identifier: Apache-2.0
import Conformance
import Glibc
import PluginBridge
import Scheduling

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
        case .exited where phase == .refused: "refused"
        case .exited(LogPipe.closedStatus): "closed descriptors that are not its own \(during)"
        case .exited(let status): "ended the process with status \(status) \(during)"
        case .signalled(let signal):
            "died of \(ProcessFacts.name(ofSignal: signal)) \(during)"
        case .timedOut:
            "did not return within \(TimeText.limit(limit)) \(during), and was killed"
        case .tooMuch: "exceeded the output limit \(during), and was killed"
        }
    }
}
