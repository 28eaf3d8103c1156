// SPDX-License-Identifier: Apache-2.0
import CSystem
public import PluginBridge
public import Scheduling
import Synchronization

/// What a host has counted since it was made.
public struct HostCounts: Sendable {
    /// Threads that run handlers, now.
    public var workers: UInt32 = 0
    /// Threads that watch budgets, now.
    public var watchers: UInt32 = 0
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
    public var wakeups: UInt64 = 0
}

extension HostRuntime {
    public var counts: HostCounts {
        var counts = HostCounts()
        counts.workers = UInt32(lanes.reduce(0) { $0 + $1.alive })
        counts.watchers = UInt32(watchers.count)
        counts.lostWorkers = lostWorkers.load(ordering: .relaxed)
        for handler in handlers {
            counts.launched += handler.launched
            for outcome in Outcome.allCases {
                counts.ended[outcome, default: 0] += handler.ended(outcome)
            }
        }
        let events = self.events.counters
        counts.eventsDelivered = events.pointee.delivered.load(ordering: .relaxed)
        counts.eventsUntaken =
            events.pointee.unheard.load(ordering: .relaxed)
            &+ events.pointee.unwanted.load(ordering: .relaxed) &+ workerCells.untaken
        counts.eventsLost = events.pointee.dropped.load(ordering: .relaxed)
        counts.misbehaviours = misbehaviours.load(ordering: .relaxed)
        counts.wakeups =
            events.pointee.wakeups.load(ordering: .relaxed)
            &+ watchers.wakeups.load(ordering: .relaxed)
            &+ lanes.reduce(0) { $0 &+ $1.wakeups.load(ordering: .relaxed) }
        return counts
    }

    /// The shutdown is over.
    public var isClosed: Bool { closed }

    /// The embedder turns the loop.
    public var hasOwnLoop: Bool { configuration.ownLoop }

    /// Readable while events wait; -1 where the host's own thread turns the loop.
    public var eventDescriptor: Int32 { configuration.ownLoop ? events.descriptor : -1 }

    /// Makes that descriptor readable once. May be called in a signal handler, and so does nothing
    /// but follow pointers and write(2).
    public func wakeLoop() { csys_eventfd_signal(events.descriptor) }

    /// Delivers waiting events on this thread, for a host whose loop the embedder turns, or one
    /// that is shut down.
    public func dispatch(limit: UInt32) -> Result<UInt32, BridgeError> {
        guard configuration.ownLoop || closed else {
            return .failure(
                BridgeError(
                    .wrongState,
                    "a thread of the host's own turns its loop; make the host with its own loop"))
        }
        return events.turn(limit: limit)
    }

    /// Why a plugin failed, as a text of the host's, "" when it did not.
    public func reasonText(of plugin: PluginRecord) -> UnsafePointer<CChar> {
        plugin.texts.keep(status(of: plugin).reason)
    }
}
