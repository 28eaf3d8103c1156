// SPDX-License-Identifier: Apache-2.0

/// Who of the watchers does what, so that a callback that blocks one of them hides no deadline from
/// the others.
///
/// A pure value. The shell keeps it under a lock and publishes `promise` in a word that workers
/// read when they arm a deadline.
public struct WatcherRoster: Sendable {
    /// What one watcher is at.
    public enum Post: Equatable, Sendable {
        /// Looking through the cells. Can transition to `calling` and `asleep`.
        case scanning
        /// Inside an expiration callback. Can transition to `scanning`.
        case calling
        /// Will look again at a time, in nanoseconds. Can transition to `scanning`.
        case asleep(until: UInt64)
        /// There was no thread for it. Its number goes to the next one that joins.
        case vacant
    }

    /// What to do before a callback is called.
    public enum CallAction: Equatable, Sendable {
        /// Somebody else keeps watch. Publish the promise, then look once more: a deadline armed
        /// while this one was scanning woke nobody, and one before the promise has to.
        case none
        /// The others sleep too long: wake them.
        case wake
        /// All others are inside callbacks: start another watcher, `added`.
        case start(Int)
        /// The same, but the limit is reached: deadlines wait until a callback returns.
        case exhausted
    }

    /// How much later than the first a second watcher looks, in nanoseconds: woken at once, the two
    /// would stand in each other's way, and a first one that is late is soon helped.
    public let stagger: UInt64

    public private(set) var posts: [Post] = []
    /// How many there may be.
    public let limit: Int

    public init(limit: Int, stagger: UInt64 = 30_000) {
        self.limit = limit
        self.stagger = stagger
    }

    /// The time before which no sleeping watcher needs to be told of a deadline. While one is
    /// scanning that is any time: it looks once more after it has said how long it will sleep.
    public var promise: UInt64 {
        var earliest = UInt64.max
        var asleep = false
        for post in posts {
            switch post {
            case .scanning: return 0
            case .calling, .vacant: continue
            case .asleep(let until):
                asleep = true
                earliest = min(earliest, until)
            }
        }
        return asleep ? earliest : 0
    }

    /// A watcher joins, scanning. Returns its number, or nil when the limit is reached.
    public mutating func join() -> Int? {
        if let vacant = posts.firstIndex(of: .vacant) {
            posts[vacant] = .scanning
            return vacant
        }
        guard posts.count < limit else { return nil }
        posts.append(.scanning)
        return posts.count - 1
    }

    /// A watcher that joined could not be started.
    public mutating func resign(_ watcher: Int) { posts[watcher] = .vacant }

    public mutating func scans(_ watcher: Int) { posts[watcher] = .scanning }

    /// A watcher has looked, and `next` is the earliest deadline it knows. Returns until when it
    /// sleeps: until then, or a little longer where another one sleeps until then.
    @discardableResult
    public mutating func sleeps(_ watcher: Int, next: UInt64) -> UInt64 {
        precondition(posts[watcher] == .scanning, "a watcher sleeps only after it has looked")
        let isSecond = posts.contains {
            if case .asleep(let until) = $0 { return until <= next }
            return false
        }
        let until = isSecond ? later(next) : next
        posts[watcher] = .asleep(until: until)
        return until
    }

    private func later(_ time: UInt64) -> UInt64 {
        let (sum, overflow) = time.addingReportingOverflow(stagger)
        return overflow ? .max : sum
    }

    /// A watcher is about to call a callback; `next` is the earliest other deadline it knows, the
    /// grace of the task it calls for among them.
    public mutating func calls(_ watcher: Int, next: UInt64) -> CallAction {
        posts[watcher] = .calling
        var anyone = false
        for (other, post) in posts.enumerated() where other != watcher {
            switch post {
            case .scanning: return .none
            case .asleep(let until) where until <= later(next): return .none
            case .asleep: anyone = true
            case .calling, .vacant: continue
            }
        }
        if anyone { return .wake }
        return join().map(CallAction.start) ?? .exhausted
    }
}
