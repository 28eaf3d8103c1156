// SPDX-License-Identifier: Apache-2.0

/// Counts of what became of requests within a span of time.
///
/// It is a value of a fixed number of numbers, which add up: a span of an hour is the sum of its minutes, all
/// identifiers are the sum of each. Everything that is drawn of the past, and measured by other programs, is made
/// from these, so that no list of requests is read for it.
package struct Rollup: Hashable, Sendable {
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
            case .delay, .duration:
                [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 3_600]
            case .budget: [0.25, 0.5, 0.75, 0.9, 1]
            }
        }

        /// Where its counts begin among the numbers; their sum comes after them.
        fileprivate var first: Int {
            switch self {
            case .delay: Place.allCases.count + Outcome.allCases.count
            case .duration: Measure.delay.first + Measure.delay.bounds.count + 2
            case .budget: Measure.duration.first + Measure.duration.bounds.count + 2
            }
        }

        /// The nanoseconds, or billionths, that one stands for.
        fileprivate static let unit = 1e9
    }

    /// The number of numbers.
    package static let count = Measure.budget.first + Measure.budget.bounds.count + 2

    /// All counts, in their order; each is 0 or more.
    package private(set) var numbers = [Int64](repeating: 0, count: count)

    package init() {}

    /// Numbers that were stored. Fails if they are none: there are too many, or one is negative. Where there are fewer, an
    /// older version has stored them, and the others are 0.
    package init?(_ numbers: [Int64]) {
        guard numbers.count <= Self.count, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        for (index, number) in numbers.enumerated() { self.numbers[index] = number }
    }

    package var isEmpty: Bool { numbers.allSatisfy { $0 == 0 } }

    package static func += (sum: inout Rollup, other: Rollup) {
        for index in sum.numbers.indices { sum.add(other.numbers[index], at: index) }
    }

    package static func + (one: Rollup, other: Rollup) -> Rollup {
        var sum = one
        sum += other
        return sum
    }

    /// Counts stop at the largest number.
    private mutating func add(_ count: Int64, at index: Int) {
        let (sum, overflow) = numbers[index].addingReportingOverflow(count)
        numbers[index] = overflow ? .max : sum
    }

    private subscript(place: Place) -> Int64 {
        get { numbers[place.rawValue] }
        set { numbers[place.rawValue] = newValue }
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
        add(1, at: Place.allCases.count + Int(end.outcome.rawValue) - 1)
        if !end.isAnswered { self[.unanswered] = 1 }
        guard end.elapsed > 0 else { return }
        count(.duration, end.elapsed)
        guard end.budget > 0, end.outcome != .interrupted, end.outcome != .cancelled else { return }
        let part = Double(end.elapsed) / Double(end.budget)
        // What was told to stop has used all of it, whatever the clock said.
        let used = end.reason == .budget ? max(part, 1.000_001) : min(part, 1)
        count(.budget, UInt64(min(used, 1_000) * Measure.unit))
    }

    /// Counts a value in nanoseconds, or billionths.
    private mutating func count(_ measure: Measure, _ value: UInt64) {
        let bounds = measure.bounds
        let place = bounds.firstIndex { Double(value) <= $0 * Measure.unit } ?? bounds.count
        add(1, at: measure.first + place)
        add(Int64(clamping: value), at: measure.first + bounds.count + 1)
    }

    // MARK: Reading

    package var submitted: Int64 { self[.submitted] }
    package var promised: Int64 { self[.promised] }
    package var launched: Int64 { self[.launched] }
    package var missed: Int64 { self[.missed] }
    package var late: Int64 { self[.late] }
    package var unanswered: Int64 { self[.unanswered] }

    package func ended(_ outcome: Outcome) -> Int64 {
        numbers[Place.allCases.count + Int(outcome.rawValue) - 1]
    }

    /// How many values were of each class.
    package func counts(_ measure: Measure) -> [Int64] {
        Array(numbers[measure.first...measure.first + measure.bounds.count])
    }

    /// The sum of the values.
    package func sum(_ measure: Measure) -> Double {
        Double(numbers[measure.first + measure.bounds.count + 1]) / Measure.unit
    }
}
