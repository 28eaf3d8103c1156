// SPDX-License-Identifier: Apache-2.0

/// A token bucket: it fills at a rate, and each use takes tokens out.
///
/// Times are nanoseconds of one clock.
package struct RateLimit: Hashable, Sendable {
    /// Tokens a second.
    package let rate: Int
    /// The most that the bucket holds.
    package let burst: Int
    private var level: Double
    private var at: UInt64

    /// A full bucket.
    package init(rate: Int, burst: Int, at now: UInt64) {
        (self.rate, self.burst) = (max(1, rate), max(1, burst))
        level = Double(self.burst)
        at = now
    }

    /// Takes tokens out. Returns nil if there were as many, or the bucket was full; what it lacked has to flow in
    /// before the next use. Otherwise nothing is taken, and the result is the nanoseconds until it succeeds.
    package mutating func take(_ count: Int, at now: UInt64) -> UInt64? {
        fill(at: now)
        let wanted = Double(min(count, burst))
        if level >= wanted {
            level -= Double(count)
            return nil
        }
        return UInt64(((wanted - level) / Double(rate) * 1e9).rounded(.up))
    }

    /// Whether the bucket is full at a time.
    package mutating func isFull(at now: UInt64) -> Bool {
        fill(at: now)
        return level >= Double(burst)
    }

    private mutating func fill(at now: UInt64) {
        guard now > at else { return }
        level = min(Double(burst), level + Double(now - at) / 1e9 * Double(rate))
        at = now
    }
}
