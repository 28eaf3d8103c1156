// SPDX-License-Identifier: Apache-2.0

/// At which hours of the week something is used, the last weeks counting more than those before.
///
/// Each hour of the week is a cell: 168 of them, from Monday 00:00 on the user's wall. An hour in
/// which there was any use adds 1 to its cell, however much use there was; what was added is half as
/// much after `halfLife`, and forgotten after ten of them. A cell also remembers in which of the last
/// weeks it was used, for the explanation.
///
/// It says how likely use is compared with the user's busiest hour. It is no permission: what follows
/// from a score is the policy's.
package struct UsageHistogram: Hashable, Sendable {
    /// Nanoseconds.
    package let halfLife: UInt64
    private var weights: [Double]
    /// The weeks of each cell: bit 0 is the week that contains `asOf`, bit 1 the one before.
    private var weeks: [UInt8]
    /// The moment that the weights are of; nil where nothing was noted. Nanoseconds since 1970.
    private var asOf: Int64?
    private var week: Int64 = 0
    /// The first week in which something was noted.
    private var firstWeek: Int64 = 0

    package static let cells = 168
    /// Weeks that the explanation looks back on.
    package static let weeksExplained: Int64 = 4
    package static let fourWeeks: UInt64 = 2_419_200_000_000_000
    /// Half-lives after which a use is forgotten.
    private static let lives = 10.0

    package init(halfLife: UInt64 = fourWeeks) {
        self.halfLife = max(halfLife, 1)
        weights = Array(repeating: 0, count: Self.cells)
        weeks = Array(repeating: 0, count: Self.cells)
    }

    /// Nothing is known of any use.
    package var isEmpty: Bool { weights.allSatisfy { $0 == 0 } }

    // MARK: Noting

    /// Notes a use at `wall`, nanoseconds since 1970 in UTC.
    ///
    /// After the clock was set back nothing decays, and time continues from there.
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

    // MARK: Asking

    /// Returns the likelihood of use at `wall`, from 0 to 1 at the busiest hour of the week; 0
    /// without data. Neighbouring hours count half, since habits shift by an hour.
    package func score(at wall: Int64, in zone: some TimeZoneRules = UTC()) -> Double {
        let busiest = (0..<Self.cells).lazy.map(smoothed).max() ?? 0
        guard busiest > 0 else { return 0 }
        return smoothed(HourOfWeek(wall: wall, in: zone).cell) / busiest
    }

    /// In words, of the weeks before that of `wall`: "used in 3 of the last 4 weeks at this hour".
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

    // MARK: In a store

    private static let version: UInt8 = 1
    /// No sum of uses, one a week, gets this large with a half-life of less than a thousand years.
    private static let largest = 1e5

    /// Everything but the half-life: 1,537 bytes, or one where nothing was noted.
    package var bytes: [UInt8] {
        var bytes = [Self.version]
        guard let asOf else { return bytes }
        bytes.append(integer: asOf)
        bytes.append(integer: week)
        bytes.append(integer: firstWeek)
        for weight in weights { bytes.append(integer: weight.bitPattern) }
        return bytes + weeks
    }

    /// Reads what `bytes` wrote; nil where they are something else.
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
            // Not true of NaN either.
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

    /// 0.5 to the power of something not negative. No C library here; the series of the exponential
    /// function is exact to the last digits within one halving.
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
