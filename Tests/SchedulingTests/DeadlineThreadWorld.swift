// SPDX-License-Identifier: Apache-2.0

@testable import Scheduling

/// Watchers, workers that arm deadlines, and callbacks that block, one step at a time in any order:
/// what goes on around a roster.
struct DeadlineThreadWorld {
    /// How far one watcher has got.
    enum Station: Equatable {
        /// It has said that it scans, and has not looked yet.
        case looking
        /// It has looked, and knew this to be the earliest deadline, and the one it would call for.
        case looked(next: UInt64, due: UInt64?)
        /// It has said how long it will sleep, and looks once more.
        case lookingBeforeSleep(next: UInt64, until: UInt64)
        case asleep(until: UInt64)
        /// It has said that it calls, and looks once more.
        case lookingBeforeCall
        case inCallback
        /// It could not be started.
        case vacant
    }

    private(set) var roster: DeadlineThreadRoster
    private(set) var stations: [Station] = []
    /// Deadlines of tasks that nobody has told to stop yet; all different.
    private(set) var armed: Set<UInt64> = []
    /// Callbacks that wait until another one returns.
    private(set) var postponed = 0
    /// No thread can be started.
    var isStartRefused = false
    private(set) var actions: Set<String> = []
    private(set) var wakeups = 0

    init(limit: Int, watchers: Int, stagger: UInt64 = 0) {
        roster = DeadlineThreadRoster(limit: limit, stagger: stagger)
        for _ in 0..<watchers where roster.join() != nil { stations.append(.looking) }
    }

    /// A worker arms a deadline, then reads the promise.
    mutating func arm(_ deadline: UInt64) {
        armed.insert(deadline)
        if deadline < roster.promise { wake() }
    }

    /// A task is over in time.
    mutating func disarm(_ deadline: UInt64) { armed.remove(deadline) }

    /// One watcher makes its next step. Those that sleep wake up only when they are told to or
    /// when it is time.
    mutating func step(_ watcher: Int, now: UInt64) {
        switch stations[watcher] {
        case .looking:
            let due = armed.min().flatMap { $0 <= now ? $0 : nil }
            let next = armed.filter { $0 != due }.min() ?? .max
            stations[watcher] = .looked(next: next, due: due)
        case .looked(let next, _) where postponed > 0 && roster.canCall(watcher):
            postponed -= 1
            call(watcher, next: next)
        case .looked(let next, let due):
            // What it found due may have been done by somebody else since.
            if let due, armed.remove(due) != nil {
                call(watcher, next: next)
            } else if due != nil {
                scan(watcher)
            } else {
                let until = roster.sleeps(watcher, next: next)
                stations[watcher] = .lookingBeforeSleep(next: next, until: until)
            }
        case .lookingBeforeSleep(let next, let until):
            if let earliest = armed.min(), earliest < next {
                scan(watcher)
            } else {
                stations[watcher] = .asleep(until: until)
            }
        case .asleep(let until):
            if until <= now { scan(watcher) }
        case .vacant: break
        case .lookingBeforeCall:
            if let earliest = armed.min(), earliest < roster.promise { wake() }
            stations[watcher] = .inCallback
        case .inCallback:
            roster.returns(watcher)
            scan(watcher)
        }
    }

    private mutating func scan(_ watcher: Int) {
        roster.scans(watcher)
        stations[watcher] = .looking
    }

    private mutating func call(_ watcher: Int, next: UInt64) {
        let action = roster.calls(watcher, next: next)
        stations[watcher] = .lookingBeforeCall
        switch action {
        case .none: actions.insert("none")
        case .wake:
            actions.insert("wake")
            wake()
        case .start(let number) where isStartRefused:
            actions.insert("refused")
            roster.resign(number)
            if number == stations.count { stations.append(.vacant) }
            postpone(watcher)
        case .start(let number):
            actions.insert("start")
            if number == stations.count { stations.append(.looking) }
            stations[number] = .looking
        case .exhausted:
            actions.insert("exhausted")
            postpone(watcher)
        }
    }

    private mutating func postpone(_ watcher: Int) {
        postponed += 1
        scan(watcher)
    }

    /// Everybody who sleeps gets up, also who is about to.
    private mutating func wake() {
        wakeups += 1
        for watcher in stations.indices {
            switch stations[watcher] {
            case .asleep, .lookingBeforeSleep: scan(watcher)
            case .looking, .looked, .lookingBeforeCall, .inCallback, .vacant: break
            }
        }
    }

    /// A deadline that nobody will look at in time, if there is one.
    var hidden: UInt64? {
        armed.first { deadline in
            !stations.contains {
                switch $0 {
                case .asleep(let until): until <= deadline + roster.stagger
                case .inCallback, .vacant: false
                // Whoever is on the move looks, or tells somebody, before it rests.
                case .looking, .looked, .lookingBeforeSleep, .lookingBeforeCall: true
                }
            }
        }
    }

    /// Where the roster believes a watcher to be somewhere else than it is.
    var disagreement: Int? {
        stations.indices.first { watcher in
            switch (stations[watcher], roster.posts[watcher]) {
            case (.looking, .scanning), (.looked, .scanning), (.lookingBeforeCall, .calling),
                (.inCallback, .calling), (.vacant, .vacant):
                false
            case (.lookingBeforeSleep(_, let until), .asleep(let said)),
                (.asleep(let until), .asleep(let said)):
                until != said
            default: true
            }
        }
    }
}
