// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Synchronization

/// Children that a plugin's function forked and that returned from it.
///
/// Such a child is a copy of the process with one thread, which would continue as the host's. It
/// exits instead and leaves a note in shared memory: it must not call a function that takes a lock,
/// because another thread of the parent may have held that lock (fork(2)).
final class ForkedChildren: Sendable {
    /// Exit status of such a child: EX_SOFTWARE of sysexits.h.
    static let status: Int32 = 70

    private let threads: HostThreads
    /// The event loop's eventfd; signalling it wakes the parent.
    private let descriptor: Int32
    private let seen = Atomic<UInt32>(csys_child_note_count())

    init(_ threads: HostThreads, waking descriptor: Int32) {
        self.threads = threads
        self.descriptor = descriptor
    }

    /// Ends the process if it is a forked child that returned from a plugin's function.
    @inline(__always)
    func endIfChild(task: @autoclosure () -> UInt64, plugin: @autoclosure () -> Int32) {
        if !csys_is_process(threads.processMark) { end(task: task(), plugin: plugin()) }
    }

    @inline(never)
    func end(task: UInt64, plugin: Int32) -> Never {
        let note = csys_child_note(owner: owner, task: task, plugin: Int64(plugin))
        csys_child_end(note, descriptor, Self.status)
    }

    private var owner: UInt64 { UInt64(UInt(bitPattern: threads.owner)) }

    /// Reports the children of this host that have ended since the last call.
    func report(to violations: ContractViolations) {
        let count = csys_child_note_count()
        let seen = seen.load(ordering: .relaxed)
        guard count != seen,
            self.seen.compareExchange(
                expected: seen, desired: count, ordering: .acquiringAndReleasing
            ).exchanged
        else { return }
        // The child may have written anything; an unknown plugin number counts as the embedder.
        let missed = max(0, Int(count &- seen) - Int(csys_child_notes))
        for place in (seen &+ UInt32(missed))..<count {
            let note = csys_child_note_at(place)
            guard note.owner == owner else { continue }
            violations.report(
                .forkedReturn, "forked, and the child returned to the host",
                "the child has ended with status \(Self.status); a child has to end by _exit or exec",
                task: note.task, plugin: Int32(clamping: note.plugin))
        }
    }
}
