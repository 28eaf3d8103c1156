// SPDX-License-Identifier: Apache-2.0

/// A host's daily budget for tasks, and the spent part of it.
///
/// Days are those of UTC, moved by `dayStart`. Times are nanoseconds since 1970 in UTC on the
/// machine's clock, which can be set:
/// - If it is set back by at most a day, the current day stays until the clock reaches the next
///   one, so that no day counts twice.
/// - If it is set back by more, it was wrong before. After `clockWasSet` the clock's day counts
///   again. The spent amounts stay spent, and the next day begins with the full budget.
/// - If it is set forward, a new day has begun.
package struct DayBudget: Hashable, Sendable {
    /// The limits; nil members are unlimited.
    package var limits: DayLimits
    /// Seconds after midnight in UTC at which days begin, at most a day in either direction.
    package let dayStart: Int64
    private var day: Int64?
    private var spent: DayAmounts = .nothing

    /// The days by which the clock can be set back without beginning a new day.
    package static let daysHeld: Int64 = 1

    package init(limits: DayLimits, dayStart: Int64 = 0) {
        self.limits = limits
        self.dayStart = min(max(dayStart, -86_400), 86_400)
    }

    /// Adds amounts to the day of `now`.
    package mutating func spend(
        launches: UInt64 = 0, wall: UInt64 = 0, cpu: UInt64 = 0, at now: Int64
    ) {
        clockWasSet(to: now)
        day = currentDay(at: now)
        spent.launches = Self.sum(spent.launches, launches)
        spent.wall = Self.sum(spent.wall, wall)
        spent.cpu = Self.sum(spent.cpu, cpu)
    }

    /// Notes that the clock may have been set, in this process or since the budget was stored.
    /// Otherwise a day far in the future, from a wrong clock, would last until it comes.
    package mutating func clockWasSet(to now: Int64) {
        guard day != nil else { return }
        spent = spent(at: now)
        day = currentDay(at: now)
    }

    /// Returns the amounts spent on the day.
    package func spent(at now: Int64) -> DayAmounts {
        guard let day else { return .nothing }
        return number(of: now) > day ? .nothing : spent
    }

    /// Returns the remaining amounts of the day; nil members are unlimited.
    package func balance(at now: Int64) -> DayLimits {
        let spent = spent(at: now)
        return DayLimits(
            launches: limits.launches.map { $0 > spent.launches ? $0 - spent.launches : 0 },
            wall: limits.wall.map { $0 > spent.wall ? $0 - spent.wall : 0 },
            cpu: limits.cpu.map { $0 > spent.cpu ? $0 - spent.cpu : 0 })
    }

    /// Returns whether one of the amounts is used up.
    package func isSpent(at now: Int64) -> Bool {
        let balance = balance(at: now)
        return balance.launches == 0 || balance.wall == 0 || balance.cpu == 0
    }

    /// Returns which amounts are spent, lower case, no full stop: "all 20 launches of the day are
    /// spent". Nil if some of each is left.
    package func reason(at now: Int64) -> String? {
        let balance = balance(at: now)
        if let limit = limits.launches, balance.launches == 0 {
            return "all \(limit) launches of the day are spent"
        }
        if let limit = limits.wall, balance.wall == 0 {
            return "the day's \(SpanText(nanoseconds: limit)) of running are spent"
        }
        if let limit = limits.cpu, balance.cpu == 0 {
            return "the day's \(SpanText(nanoseconds: limit)) of processor time are spent"
        }
        return nil
    }

    /// Returns when the next day begins, later than `now`; nanoseconds since 1970 in UTC.
    package func resetsAt(_ now: Int64) -> Int64 {
        let next = currentDay(at: now) + 1
        let (seconds, _) = next.multipliedReportingOverflow(by: 86_400)
        let (start, overflow) = (seconds + dayStart).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : start
    }

    // MARK: In a store

    private static let version: UInt8 = 1

    /// The spent amounts without the limits: 33 bytes.
    package var bytes: [UInt8] {
        var bytes = [Self.version]
        bytes.append(integer: day ?? .min)
        bytes.append(integer: spent.launches)
        bytes.append(integer: spent.wall)
        bytes.append(integer: spent.cpu)
        return bytes
    }

    /// Reads the form of `bytes`; returns nil if they are malformed.
    package init?(bytes: some Sequence<UInt8>, limits: DayLimits, dayStart: Int64 = 0) {
        var reader = ByteReader(bytes)
        guard reader.integer(UInt8.self) == Self.version, let day = reader.integer(Int64.self),
            let launches = reader.integer(UInt64.self), let wall = reader.integer(UInt64.self),
            let cpu = reader.integer(UInt64.self), reader.isAtEnd
        else { return nil }
        self.init(limits: limits, dayStart: dayStart)
        spent = DayAmounts(launches: launches, wall: wall, cpu: cpu)
        if day == .min {
            guard spent == .nothing else { return nil }
        } else {
            guard Self.days.contains(day) else { return nil }
            self.day = day
        }
    }

    // MARK: Days

    /// The days that 64-bit nanoseconds cover, and one more at each end for `dayStart`.
    private static let days: ClosedRange<Int64> = {
        let most = Int64.max / 86_400_000_000_000 + 2
        return -most...most
    }()

    /// Returns the day at `now`, which stays the same if the clock was set back by at most a day.
    private func currentDay(at now: Int64) -> Int64 {
        let number = number(of: now)
        guard let day, day > number, day - number <= Self.daysHeld else { return number }
        return day
    }

    /// Returns the number of the day since 1970, where days begin at `dayStart`.
    private func number(of now: Int64) -> Int64 {
        (now.flooredQuotient(1_000_000_000) - dayStart).flooredQuotient(86_400)
    }

    /// Returns the sum, at most the largest number.
    private static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
