// SPDX-License-Identifier: Apache-2.0

/// Decides which of many lines of one sort are shown: the first few, then ever fewer, so that a
/// long run still fits on a page.
struct EventThrottle {
    /// Shown whenever they come.
    static var freely: Int { 3 }

    private(set) var shown = 0
    /// Left out since the last one that was shown.
    private(set) var hidden = 0
    /// Left out in all.
    private(set) var hiddenInAll = 0
    private var lastShown: UInt64 = 0

    /// Nanoseconds between two lines at that time of the run: half a second at first, later a
    /// fortieth of the time so far.
    static func interval(at time: UInt64) -> UInt64 { max(500_000_000, time / 40) }

    /// Whether a line would be shown now.
    func isDue(at time: UInt64, freely: Int = EventThrottle.freely) -> Bool {
        shown < freely || time >= lastShown &+ EventThrottle.interval(at: time)
    }

    /// Counts a line. Returns how many were left out before it, or nil when it is left out too.
    mutating func admit(at time: UInt64) -> Int? {
        guard isDue(at: time) else {
            hidden += 1
            hiddenInAll += 1
            return nil
        }
        return note(at: time)
    }

    /// Counts a line that is shown in any case.
    @discardableResult
    mutating func note(at time: UInt64) -> Int {
        defer { hidden = 0 }
        shown += 1
        lastShown = time
        return hidden
    }
}
