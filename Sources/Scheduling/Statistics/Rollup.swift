// SPDX-License-Identifier: Apache-2.0

/// Counts of what became of requests within a span of time.
///
/// It is a value of a fixed number of numbers, which add up: a span of an hour is the sum of its minutes, all
/// identifiers are the sum of each. Everything that is drawn of the past, and measured by other programs, is made
/// from these, so that no list of requests is read for it.
///
/// Several are made for each request, so the numbers lie in the value itself, without memory of their own.
package struct Rollup: Sendable {
    /// The first numbers, each of which is one count.
    private enum Place: Int, CaseIterable {
        /// Requests that were submitted.
        case submitted
        /// Dates on which a launch was due, in the span in which they are.
        case promised
        /// Launches.
        case launched
        /// Dates on which nothing was launched within a minute.
        case missed
        /// Launches that were promised and came later than a minute after their date, in the span of the date.
        case late
        /// Launches whose task did not answer its expiration within its grace.
        case unanswered
    }

    /// The values that are counted by their size.
    package enum Measure: CaseIterable, Sendable {
        /// Seconds from the date of a request to its launch.
        case delay
        /// Seconds for which a task ran.
        case duration
        /// The part of its budget that a task used, from 0 to 1; more for one that expired.
        case budget

        /// The largest values of the classes, ascending; a last class has what is larger. They never change: stored
        /// counts are of these.
        package var bounds: [Double] {
            switch self {
            case .delay, .duration: Self.times
            case .budget: Self.parts
            }
        }

        private static let times = [
            0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 3_600,
        ]
        private static let parts = [0.25, 0.5, 0.75, 0.9, 1]

        /// Where its counts begin among the numbers; their sum comes after them.
        fileprivate var first: Int {
            switch self {
            case .delay: Rollup.firstMeasure
            case .duration: Rollup.firstMeasure + Self.times.count + 2
            case .budget: Rollup.firstMeasure + 2 * (Self.times.count + 2)
            }
        }

        /// The nanoseconds, or billionths, that one stands for.
        fileprivate static let unit = 1e9
    }

    private static let firstOutcome = Place.allCases.count
    private static let firstMeasure = firstOutcome + Outcome.allCases.count
    /// The number of numbers.
    package static let count = Measure.budget.first + Measure.budget.bounds.count + 2

    /// All counts, in their order; each is 0 or more.
    private var values = InlineArray<52, Int64>(repeating: 0)
    /// A bit for each that is not 0: of one request there are few.
    private var places: UInt64 = 0
    /// All counts, in their order; each is 0 or more.
    package var numbers: [Int64] { values.indices.map { values[$0] } }

    package init() {}

    /// Numbers that were stored. Fails if they are none: there are too many, or one is negative. Where there are fewer, an
    /// older version has stored them, and the others are 0.
    package init?(_ numbers: [Int64]) {
        guard numbers.count <= Self.count, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        for (index, number) in numbers.enumerated() { set(number, at: index) }
    }

    package var isEmpty: Bool { places == 0 }

    /// Counts stop at the largest number.
    package static func += (sum: inout Rollup, other: Rollup) {
        sum.places |= other.places
        var rest = other.places
        // A subscript of the array itself would copy it.
        var values = sum.values.mutableSpan
        let others = other.values.span
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            let (value, overflow) = values[index].addingReportingOverflow(others[index])
            values[index] = overflow ? .max : value
        }
    }

    package static func + (one: Rollup, other: Rollup) -> Rollup {
        var sum = one
        sum += other
        return sum
    }

    private subscript(place: Place) -> Int64 {
        get { values[place.rawValue] }
        set { set(newValue, at: place.rawValue) }
    }

    private mutating func set(_ number: Int64, at index: Int) {
        values[index] = number
        if number > 0 { places |= 1 << UInt64(index) }
    }

    // MARK: Counting

    package static let submission = Rollup(counting: .submitted)

    private init(counting place: Place) { self[place] = 1 }

    /// Dates on which a launch was due and nothing was launched.
    package static func missed(_ count: Int) -> Rollup {
        var rollup = Rollup()
        rollup[.promised] = Int64(count)
        rollup[.missed] = Int64(count)
        return rollup
    }

    /// A date on which a launch was due that has come.
    ///
    /// - Parameter isLate: it came more than a minute later.
    package static func kept(isLate: Bool) -> Rollup {
        var rollup = Rollup(counting: .promised)
        rollup[.late] = isLate ? 1 : 0
        return rollup
    }

    /// A launch, so many nanoseconds after the date of its request.
    package static func launch(after delay: UInt64) -> Rollup {
        var rollup = Rollup(counting: .launched)
        rollup.count(.delay, delay)
        return rollup
    }

    /// The end of a launch.
    package init(_ end: AttemptEnd) {
        set(1, at: Self.firstOutcome + Int(end.outcome.rawValue) - 1)
        if !end.isAnswered { self[.unanswered] = 1 }
        guard end.elapsed > 0 else { return }
        count(.duration, end.elapsed)
        guard end.budget > 0, end.outcome != .interrupted, end.outcome != .cancelled else { return }
        let part = Double(end.elapsed) / Double(end.budget)
        // What was told to stop has used all of it, whatever the clock said.
        let used = end.reason == .budget ? max(part, 1.000_001) : min(part, 1)
        count(.budget, UInt64(min(used, 1_000) * Measure.unit))
    }

    /// Counts the first value of a measure, in nanoseconds, or billionths.
    private mutating func count(_ measure: Measure, _ value: UInt64) {
        let bounds = measure.bounds
        let place = bounds.firstIndex { Double(value) <= $0 * Measure.unit } ?? bounds.count
        set(1, at: measure.first + place)
        set(Int64(clamping: value), at: measure.first + bounds.count + 1)
    }

    // MARK: Reading

    package var submitted: Int64 { self[.submitted] }
    package var promised: Int64 { self[.promised] }
    package var launched: Int64 { self[.launched] }
    package var missed: Int64 { self[.missed] }
    package var late: Int64 { self[.late] }
    package var unanswered: Int64 { self[.unanswered] }

    package func ended(_ outcome: Outcome) -> Int64 {
        values[Self.firstOutcome + Int(outcome.rawValue) - 1]
    }

    /// How many values were of each class.
    package func counts(_ measure: Measure) -> [Int64] {
        (measure.first...measure.first + measure.bounds.count).map { values[$0] }
    }

    /// The sum of the values.
    package func sum(_ measure: Measure) -> Double {
        Double(values[measure.first + measure.bounds.count + 1]) / Measure.unit
    }
}

extension Rollup: Hashable {
    package static func == (one: Rollup, other: Rollup) -> Bool {
        one.places == other.places
            && one.values.indices.allSatisfy { one.values[$0] == other.values[$0] }
    }

    package func hash(into hasher: inout Hasher) {
        for index in values.indices { hasher.combine(values[index]) }
    }
}
