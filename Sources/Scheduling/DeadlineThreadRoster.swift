// SPDX-License-Identifier: Apache-2.0

/// The state of the deadline threads, arranged so that a callback that blocks one of them hides no
/// deadline from the others.
///
/// A pure value. The caller keeps it under a lock and publishes `promise` in a word that workers
/// read when they arm a deadline.
package struct DeadlineThreadRoster: Sendable {
    /// The activity of one deadline thread.
    package enum Post: Equatable, Sendable {
        /// Scanning the cells. Can transition to `calling` and `asleep`.
        case scanning
        /// Inside an expiration callback. Can transition to `scanning`.
        case calling
        /// Sleeping until a time, in nanoseconds. Can transition to `scanning`.
        case asleep(until: UInt64)
        /// Unused, because no thread could be started. The next thread that joins gets its number.
        case vacant
    }

    /// The action before a callback is called.
    package enum CallAction: Equatable, Sendable {
        /// Another thread keeps watch. Publish the promise, then scan once more: a deadline that
        /// was armed during the scan woke no thread, and one before the promise has to.
        case none
        /// The others sleep too long: wake them.
        case wake
        /// All others are inside callbacks: start another deadline thread, `added`.
        case start(Int)
        /// All others are inside callbacks and the limit is reached: do not call, because no thread
        /// would watch the deadlines. The thread remains scanning.
        case exhausted
    }

    /// The delay of the second deadline thread after the first, in nanoseconds: woken together, the
    /// two would contend, and a late first one still gets help soon.
    package let stagger: UInt64

    package private(set) var posts: [Post] = []
    /// The maximum number of deadline threads.
    package let limit: Int
    /// The last thread that was to be added could not be started. Cleared when a callback returns.
    private var isStartRefused = false

    package init(limit: Int, stagger: UInt64 = 30_000) {
        self.limit = limit
        self.stagger = stagger
    }

    /// The time before which no sleeping thread needs to be woken for a deadline. While one is
    /// scanning, no thread needs to be woken, since it scans once more after it has published its
    /// sleep.
    package var promise: UInt64 {
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

    /// Adds a deadline thread, scanning. Returns its number, or nil if the limit is reached.
    package mutating func join() -> Int? {
        if let vacant = posts.firstIndex(of: .vacant) {
            posts[vacant] = .scanning
            return vacant
        }
        guard posts.count < limit else { return nil }
        posts.append(.scanning)
        return posts.count - 1
    }

    /// Removes a deadline thread that could not be started.
    package mutating func resign(_ thread: Int) {
        posts[thread] = .vacant
        isStartRefused = true
    }

    package mutating func scans(_ thread: Int) { posts[thread] = .scanning }

    /// A callback has returned. It may be possible again to start a thread.
    package mutating func returns(_ thread: Int) {
        posts[thread] = .scanning
        isStartRefused = false
    }

    /// Whether a waiting callback is worth an attempt: another thread keeps watch meanwhile, or can
    /// be started.
    package func canCall(_ thread: Int) -> Bool {
        posts.indices.contains {
            $0 != thread && posts[$0] != .calling && posts[$0] != .vacant
        } || !isStartRefused && (posts.count < limit || posts.contains(.vacant))
    }

    /// A deadline thread has scanned, and `next` is the earliest deadline it knows. Returns its
    /// wake-up time: that deadline, or a little later if another thread sleeps until then.
    @discardableResult
    package mutating func sleeps(_ thread: Int, next: UInt64) -> UInt64 {
        precondition(
            posts[thread] == .scanning, "a deadline thread sleeps only after it has scanned")
        let isSecond = posts.contains {
            if case .asleep(let until) = $0 { return until <= next }
            return false
        }
        let until = isSecond ? later(next) : next
        posts[thread] = .asleep(until: until)
        return until
    }

    private func later(_ time: UInt64) -> UInt64 {
        let (sum, overflow) = time.addingReportingOverflow(stagger)
        return overflow ? .max : sum
    }

    /// A deadline thread is about to call a callback; `next` is the earliest other deadline it
    /// knows, among them the grace of the task it calls for.
    package mutating func calls(_ thread: Int, next: UInt64) -> CallAction {
        posts[thread] = .calling
        var anyone = false
        for (other, post) in posts.enumerated() where other != thread {
            switch post {
            case .scanning: return .none
            case .asleep(let until) where until <= later(next): return .none
            case .asleep: anyone = true
            case .calling, .vacant: continue
            }
        }
        if anyone { return .wake }
        if let added = join() { return .start(added) }
        posts[thread] = .scanning
        return .exhausted
    }
}
