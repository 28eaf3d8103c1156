// SPDX-License-Identifier: Apache-2.0
public import Scheduling
import Synchronization

/// Counters of a host since it was made.
public struct HostCounts: Sendable {
    /// Current number of worker threads.
    public package(set) var workers: UInt32 = 0
    /// Those that wait for a task.
    package var idleWorkers: UInt32 = 0
    /// Current number of deadline threads.
    package var deadlineThreads: UInt32 = 0
    /// Workers whose function has not returned in time.
    public package(set) var lostWorkers: UInt32 = 0
    /// Number of tasks launched.
    public package(set) var launched: UInt64 = 0
    /// Number of ended tasks by outcome.
    public package(set) var ended: [Outcome: UInt64] = [:]
    /// Events that a wait took or at least one subscriber received.
    public package(set) var eventsDelivered: UInt64 = 0
    /// Events without a receiver.
    public package(set) var eventsUntaken: UInt64 = 0
    /// Events dropped because the queue was full.
    public package(set) var eventsLost: UInt64 = 0
    /// Contract violations by plugins; the log names them.
    public package(set) var contractViolations: UInt64 = 0
    /// Started processes of plugins.
    public package(set) var processesStarted: UInt64 = 0
    /// Those that ended by themselves, by a signal or an exit.
    public package(set) var processesCrashed: UInt64 = 0
    /// Those that the host killed, because a function did not return, or for a quarantine.
    public package(set) var processesKilled: UInt64 = 0
    /// Those that the host killed, because they broke the rules of their channel.
    public package(set) var processesFaulty: UInt64 = 0
    /// Records that were read from processes.
    package var processRecords: UInt64 = 0
    /// Wake-ups of workers, deadline threads and the event loop.
    package var wakeups: UInt64 = 0
}

extension HostCounts {
    /// How many workers are in each state.
    package var workerStates: [(state: String, count: UInt32)] {
        let busy = workers - min(workers, idleWorkers)
        return [("busy", busy), ("idle", min(workers, idleWorkers)), ("stuck", lostWorkers)]
    }
}

extension HostRuntime {
    package var counts: HostCounts {
        var counts = HostCounts()
        counts.workers = UInt32(engine.pools.reduce(0) { $0 + $1.alive })
        counts.idleWorkers = UInt32(engine.pools.reduce(0) { $0 + $1.idle })
        counts.deadlineThreads = UInt32(engine.deadlines.threadCount)
        counts.lostWorkers = engine.lostWorkers.load(ordering: .relaxed)
        for handler in engine.handlers.all {
            counts.launched += handler.launched
            for outcome in Outcome.allCases {
                counts.ended[outcome, default: 0] += handler.ended(outcome)
            }
        }
        let events = engine.events.counters
        counts.eventsDelivered = events.pointee.delivered.load(ordering: .relaxed)
        counts.eventsUntaken =
            events.pointee.unheard.load(ordering: .relaxed)
            &+ events.pointee.unwanted.load(ordering: .relaxed)
            &+ engine.deadlines.cells.untaken
        counts.eventsLost = events.pointee.dropped.load(ordering: .relaxed)
        counts.contractViolations = engine.violations.count
        var processes = ChildCounts()
        for child in plugins.isolated { processes += child.counts }
        counts.processesStarted = processes.started
        counts.processesCrashed = processes.crashed
        counts.processesKilled = processes.killed
        counts.processesFaulty = processes.faulty
        counts.processRecords = processes.records
        counts.wakeups =
            events.pointee.wakeups.load(ordering: .relaxed)
            &+ engine.deadlines.wakeups.load(ordering: .relaxed)
            &+ engine.pools.reduce(0) { $0 &+ $1.wakeups.load(ordering: .relaxed) }
        return counts
    }
}
