// SPDX-License-Identifier: Apache-2.0

/// When work that reports its progress has stalled: it has not come any further for as long as the
/// limit says, its first report included. Times are what is left of its budget, in nanoseconds.
struct StallStateMachine {
    private let limit: UInt64
    private var fraction = 0.0
    private var movedAt: UInt64

    init(limit: UInt64, remaining: UInt64) {
        self.limit = limit
        movedAt = remaining
    }

    /// True once it has stalled.
    mutating func look(_ fraction: Double, remaining: UInt64) -> Bool {
        if fraction > self.fraction {
            self.fraction = fraction
            movedAt = remaining
        }
        return movedAt >= remaining && movedAt - remaining >= limit
    }
}
