// SPDX-License-Identifier: Apache-2.0

/// The hours of the week at which something is used, where recent weeks count more.
///
/// Each hour of the week is a cell: 168 of them, from Monday 00:00 local time. An hour with any use
/// adds 1 to its cell, however much use there was. The weight halves after `halfLife`, and is
/// removed after ten of them. A cell also records in which of the last weeks it was used, for the
/// explanation.
///
/// The score compares the likelihood of use with the user's busiest hour. The policy decides what
/// follows from it.
package struct UsageHistogram: Hashable, Sendable {
    /// The half-life in nanoseconds.
    package let halfLife: UInt64
    private var weights: [Double]
    /// The weeks of each cell: bit 0 is the week that contains `asOf`, bit 1 the one before.
    private var weeks: [UInt8]
    /// The moment to which the weights refer, in nanoseconds since 1970; nil if no use was noted.
    private var asOf: Int64?
    private var week: Int64 = 0
    /// The first week with a use.
    private var firstWeek: Int64 = 0

    package static let cells = 168
    /// The number of weeks in an explanation.
    package static let weeksExplained: Int64 = 4
    package static let fourWeeks: UInt64 = 2_419_200_000_000_000
    /// The half-lives after which a use is removed.
    private static let lives = 10.0

    package init(halfLife: UInt64 = fourWeeks) {
        self.halfLife = max(halfLife, 1)
        weights = Array(repeating: 0, count: Self.cells)
        weeks = Array(repeating: 0, count: Self.cells)
    }

    /// Whether no use is known.
    package var isEmpty: Bool { weights.allSatisfy { $0 == 0 } }

    // MARK: Noting

    /// Notes a use at `wall`, nanoseconds since 1970 in UTC.
    ///
    /// After the clock was set back, weights do not decay, and time continues from there.
    package mutating func note(at wall: Int64, in zone: some TimeZoneRules = UTC()) {
        let hour = HourOfWeek(wall: wall, in: zone)
        decay(to: wall)
        if asOf == nil {
            firstWeek = hour.week
        } else {
            weeks = weeks.map { Self.moved($0, by: hour.week - week) }
            firstWeek = min(firstWeek, hour.week)
        }
        asOf = wall
        week = hour.week
        guard weeks[hour.cell] & 1 == 0 else { return }
        weeks[hour.cell] |= 1
        weights[hour.cell] += 1
    }

    private mutating func decay(to wall: Int64) {
        guard let asOf, wall > asOf else { return }
        let passed = UInt64(bitPattern: wall &- asOf)
        let factor = Self.half(toThe: Double(passed) / Double(halfLife))
        for cell in weights.indices {
            let left = weights[cell] * factor
            weights[cell] = left < Self.forgotten ? 0 : left
        }
    }

    // MARK: Queries

    /// Returns the likelihood of use at `wall`, from 0 to 1 at the busiest hour of the week; 0
    /// without data. Neighbouring hours count half, since habits shift by an hour.
    package func score(at wall: Int64, in zone: some TimeZoneRules = UTC()) -> Double {
        let busiest = (0..<Self.cells).lazy.map(smoothed).max() ?? 0
        guard busiest > 0 else { return 0 }
        return smoothed(HourOfWeek(wall: wall, in: zone).cell) / busiest
    }

    /// Returns a text about the weeks before that of `wall`: "used in 3 of the last 4 weeks at this
    /// hour".
    package func explanation(at wall: Int64, in zone: some TimeZoneRules = UTC()) -> String {
        guard asOf != nil else { return "nothing is known of its use" }
        let hour = HourOfWeek(wall: wall, in: zone)
        let watched = min(hour.week - firstWeek, Self.weeksExplained)
        guard watched > 0 else { return "its use is known for less than a week" }
        let moved = Self.moved(weeks[hour.cell], by: hour.week - week)
        let before = moved >> 1 & UInt8((1 << watched) - 1)
        let period = watched == 1 ? "the last week" : "the last \(watched) weeks"
        return before == 0
            ? "not used at this hour in \(period)"
            : "used in \(watched == 1 ? "" : "\(before.nonzeroBitCount) of ")\(period) at this hour"
    }

    private func smoothed(_ cell: Int) -> Double {
        let before = weights[(cell + Self.cells - 1) % Self.cells]
        return weights[cell] + (before + weights[(cell + 1) % Self.cells]) / 2
    }

    /// The score of each hour of the week; none without data.
    package var scores: [Double] {
        let smoothed = (0..<Self.cells).map(smoothed)
        let busiest = smoothed.max() ?? 0
        return busiest > 0 ? smoothed.map { $0 / busiest } : []
    }

    /// The hour of the week of a date, from Monday 00:00.
    package static func cell(at wall: Int64, in zone: some TimeZoneRules) -> Int {
        HourOfWeek(wall: wall, in: zone).cell
    }

    // MARK: In a store

    private static let version: UInt8 = 1
    /// The largest plausible weight: no sum of uses, one a week, reaches it with a half-life of
    /// less than a thousand years.
    private static let largest = 1e5

    /// All data except the half-life: 1,537 bytes, or one if no use was noted.
    package var bytes: [UInt8] {
        var bytes = [Self.version]
        guard let asOf else { return bytes }
        bytes.append(integer: asOf)
        bytes.append(integer: week)
        bytes.append(integer: firstWeek)
        for weight in weights { bytes.append(integer: weight.bitPattern) }
        return bytes + weeks
    }

    /// Reads the form of `bytes`; returns nil if they are malformed.
    package init?(bytes: some Sequence<UInt8>, halfLife: UInt64 = fourWeeks) {
        self.init(halfLife: halfLife)
        var reader = ByteReader(bytes)
        guard reader.integer(UInt8.self) == Self.version else { return nil }
        if reader.isAtEnd { return }
        guard let asOf = reader.integer(Int64.self), let week = reader.integer(Int64.self),
            let firstWeek = reader.integer(Int64.self), HourOfWeek.weeks.contains(week),
            HourOfWeek.weeks.contains(firstWeek), firstWeek <= week
        else { return nil }
        for cell in weights.indices {
            guard let bits = reader.integer(UInt64.self) else { return nil }
            let weight = Double(bitPattern: bits)
            // The comparison is false for NaN as well.
            guard weight >= 0, weight <= Self.largest else { return nil }
            weights[cell] = weight
        }
        for cell in weeks.indices {
            guard let bits = reader.integer(UInt8.self) else { return nil }
            weeks[cell] = bits
        }
        guard reader.isAtEnd else { return nil }
        self.asOf = asOf
        self.week = week
        self.firstWeek = firstWeek
    }

    // MARK: Arithmetic

    private static let forgotten = half(toThe: lives)

    /// Returns the bits of the week, shifted by the given number of weeks; negative numbers shift
    /// back.
    private static func moved(_ bits: UInt8, by weeks: Int64) -> UInt8 {
        if weeks >= 8 || weeks <= -8 { return 0 }
        return weeks >= 0 ? bits << UInt8(weeks) : bits >> UInt8(-weeks)
    }

    /// Returns 0.5 to the power of a number that is not negative. This target does not use the C
    /// library; the series of the exponential function is exact to the last digits within one
    /// halving.
    static func half(toThe power: Double) -> Double {
        guard power < 1_000 else { return 0 }
        let whole = power.rounded(.down)
        let argument = (whole - power) * 0.693_147_180_559_945_3
        var term = 1.0
        var sum = 1.0
        for number in 1...20 {
            term *= argument / Double(number)
            sum += term
        }
        return Double(sign: .plus, exponent: -Int(whole), significand: sum)
    }
}
