// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Runner

/// What happened to every task of a stress run, written down by many threads and checked at the end.
final class StressLedger: Sendable {
    private struct Pages {
        var launched: Set<UInt64> = []
        var entered: Set<UInt64> = []
        var accepted: Set<UInt64> = []
        var done: Set<UInt64> = []
        var sequence: UInt64 = 0
        var faults: [String] = []

        mutating func fault(_ text: String) {
            if faults.count < 20 { faults.append(text) }
        }
    }

    private let pages = Locked(Pages())

    /// What went wrong, at most 20 lines.
    var faults: [String] { pages.withLock { $0.faults } }
    var launches: Int { pages.withLock { $0.launched.count } }
    var completions: Int { pages.withLock { $0.accepted.count } }

    func fault(_ text: String) { pages.withLock { $0.fault(text) } }

    func launched(_ task: UInt64) {
        pages.withLock {
            if !$0.launched.insert(task).inserted { $0.fault("the id \(task) was given out twice") }
        }
    }

    func entered(_ task: UInt64) {
        pages.withLock {
            if !$0.entered.insert(task).inserted { $0.fault("task \(task) was entered twice") }
        }
    }

    func accepted(_ task: UInt64) {
        pages.withLock {
            if !$0.accepted.insert(task).inserted {
                $0.fault("two completions of task \(task) were accepted")
            }
        }
    }

    /// An event was delivered: `done` when it is a done event.
    func delivered(_ sequence: UInt64, lost: UInt64, task: UInt64, done: Bool) {
        pages.withLock {
            if sequence != $0.sequence + 1 + lost {
                $0.fault("event \(sequence) came after \($0.sequence), and \(lost) were lost")
            }
            $0.sequence = sequence
            if done, task != 0 {
                if !$0.done.insert(task).inserted {
                    $0.fault("task \(task) had two done events")
                }
            } else if $0.done.contains(task) {
                $0.fault("task \(task) had an event after its done event")
            }
        }
    }

    /// Every launched task has had its done event, and nobody else.
    func close() {
        pages.withLock { pages in
            let missing = pages.launched.subtracting(pages.done)
            if !missing.isEmpty {
                pages.fault(
                    "\(missing.count) launched tasks had no done event: \(Array(missing.prefix(3)))"
                )
            }
            let unknown = pages.done.subtracting(pages.launched)
            if !unknown.isEmpty {
                pages.fault(
                    "\(unknown.count) done events were about no launch: \(Array(unknown.prefix(3)))"
                )
            }
            let strangers = pages.entered.subtracting(pages.launched)
            if !strangers.isEmpty { pages.fault("\(strangers.count) entered tasks had no launch") }
        }
    }
}
