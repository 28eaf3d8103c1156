// SPDX-License-Identifier: Apache-2.0
public import Scheduling
import Synchronization

/// What a host has counted since it was made.
public struct HostCounts: Sendable {
    /// Threads that run handlers, now.
    public var workers: UInt32 = 0
    /// Threads that watch budgets, now.
    package var watchers: UInt32 = 0
    /// Functions that have not come back.
    public var lostWorkers: UInt32 = 0
    /// Tasks, all in all.
    public var launched: UInt64 = 0
    /// How many of them ended how.
    public var ended: [Outcome: UInt64] = [:]
    /// Taken by a wait, or by at least one subscriber.
    public var eventsDelivered: UInt64 = 0
    /// Nobody wanted them.
    public var eventsUntaken: UInt64 = 0
    /// Dropped because the queue was full.
    public var eventsLost: UInt64 = 0
    /// Rules that plugins broke; the log names them.
    public var misbehaviours: UInt64 = 0
    /// Of sleeping workers, watchers and the event loop.
    package var wakeups: UInt64 = 0
}

extension HostRuntime {
    /// The counts of now.
    package var counts: HostCounts {
        var counts = HostCounts()
        counts.workers = UInt32(engine.pools.reduce(0) { $0 + $1.alive })
        counts.watchers = UInt32(engine.deadlines.threadCount)
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
        counts.misbehaviours = engine.violations.count
        counts.wakeups =
            events.pointee.wakeups.load(ordering: .relaxed)
            &+ engine.deadlines.wakeups.load(ordering: .relaxed)
            &+ engine.pools.reduce(0) { $0 &+ $1.wakeups.load(ordering: .relaxed) }
        return counts
    }
}
