// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling
import Synchronization

/// Has the tasks of requests end before other hosts may launch the requests again.
///
/// A host that does not reach the server of its store cannot know whether others do. Its tasks are told to stop so long
/// before others may take it for dead as their grace lasts, but not before the last third of its lease, nor while only one beat is late. The thread of
/// requests may wait for the server meanwhile, so it is not needed for that. Tasks of handlers that say so go on.
final class LeaseGuard: Sendable {
    private let engine: TaskEngine
    private let tasks: RequestTasks
    /// Nanoseconds.
    private let lease: UInt64
    /// CLOCK_BOOTTIME from which others may take this host for dead, while its beats do not get through; else 0.
    private let end = Atomic<UInt64>(0)

    /// Nanoseconds after which it looks for tasks that have begun meanwhile.
    private static let lookInterval: UInt64 = 100_000_000

    init(_ engine: TaskEngine, _ tasks: RequestTasks, lease: UInt64) {
        (self.engine, self.tasks, self.lease) = (engine, tasks, lease)
    }

    /// Beats do not get through, and others may take this host for dead at a time of CLOCK_BOOTTIME.
    func begin(until end: UInt64) {
        // 0 means that they do get through.
        let end = max(1, end)
        self.end.store(end, ordering: .releasing)
        HostThreads.startDetached { [self] in
            csys_thread_name("curfew-lapse")
            run(until: end)
        }
    }

    /// Beats get through again.
    func renew() { end.store(0, ordering: .releasing) }

    private func run(until end: UInt64) {
        var told: Set<RequestTicket> = []
        while self.end.load(ordering: .acquiring) == end, engine.phase.isOpen {
            let now = csys_boottime_ns()
            var next = end
            for (ticket, task) in tasks.all where !told.contains(ticket) {
                let state = engine.query(task)
                guard state?.handler.description.onLeaseLost != .finish else {
                    told.insert(ticket)
                    continue
                }
                let grace = state?.grace ?? 0
                let date = end - min(end, min(grace, lease / 3))
                if date <= now {
                    // One whose function has not begun cannot be told yet.
                    if stop(task, of: ticket.request) { told.insert(ticket) }
                } else {
                    next = min(next, date)
                }
            }
            // From here on nothing is launched.
            guard now < end else { return }
            usleep(UInt32(min(next - now, Self.lookInterval) / 1_000) + 1)
        }
    }

    /// Others have taken over requests: their tasks are told to stop, or go on without counting.
    func stop(_ launches: [(id: RequestID, launch: UInt64)]) {
        for (id, launch) in launches {
            // One that is over has nothing to stop.
            guard let task = tasks[RequestTicket(request: id, launch: launch)] else { continue }
            let goesOn = engine.query(task)?.handler.description.onLeaseLost == .finish
            guard goesOn || engine.stop(task, .lease) == .ok else { continue }
            engine.log(
                .warning, nil, task,
                "another host has taken over request \(id); its task \(goesOn ? "goes on" : "was told to stop"), and what it does does not count"
            )
        }
    }

    private func stop(_ task: UInt64, of request: RequestID) -> Bool {
        guard engine.stop(task, .lease) == .ok else { return false }
        engine.log(
            .warning, nil, task,
            "other hosts may take this one for dead soon; the task of request \(request) was told to stop"
        )
        return true
    }
}
