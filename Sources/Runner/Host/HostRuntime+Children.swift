// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Synchronization

/// Children that a plugin's function forked, and that came back from it.
///
/// Such a child is a copy of the process with one thread, which would go on as the host's. It ends
/// instead, and leaves a note in shared memory, because nothing that takes a lock may be called in
/// it: another thread of the parent may have held that lock (fork(2)).
extension HostRuntime {
    /// How it ends: EX_SOFTWARE of sysexits.h.
    static let childStatus: Int32 = 70

    /// Ends the process if it is a child that came back from a function of a plugin.
    @inline(__always)
    func endIfChild(task: @autoclosure () -> UInt64, plugin: @autoclosure () -> Int32) {
        if !csys_is_process(processMark) { endChild(task: task(), plugin: plugin()) }
    }

    @inline(never)
    func endChild(task: UInt64, plugin: Int32) -> Never {
        let note = csys_child_note(owner: identity, task: task, plugin: Int64(plugin))
        csys_child_end(note, events.descriptor, Self.childStatus)
    }

    private var identity: UInt64 {
        UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    }

    /// Reports the children of this host that have ended so since the last look.
    func reportChildren() {
        let count = csys_child_note_count()
        let seen = childrenSeen.load(ordering: .relaxed)
        guard count != seen,
            childrenSeen.compareExchange(
                expected: seen, desired: count, ordering: .acquiringAndReleasing
            ).exchanged
        else { return }
        // A child may have written anything; what is no plugin here is the embedder's own.
        let missed = max(0, Int(count &- seen) - Int(csys_child_notes))
        for place in (seen &+ UInt32(missed))..<count {
            let note = csys_child_note_at(place)
            guard note.owner == identity else { continue }
            misbehaved(
                .forkedReturn, "forked, and the child returned to the host",
                "the child has ended with status \(Self.childStatus); a child has to end by _exit or exec",
                task: note.task, plugin: Int32(clamping: note.plugin))
        }
    }
}
