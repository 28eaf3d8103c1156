// SPDX-License-Identifier: Apache-2.0

/// Values that are counted by their size.
package struct Histogram: Sendable {
    /// The largest values of the classes, ascending; a last class has what is larger.
    package let bounds: [Double]
    /// How many values are in each class.
    package private(set) var counts: [Int64]
    package private(set) var sum = 0.0

    package init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Those that were counted elsewhere, one class more than there are bounds.
    package init(_ bounds: [Double], counts: [Int64], sum: Double) {
        (self.bounds, self.counts, self.sum) = (bounds, counts, sum)
    }

    /// Those that a roll-up has of a measure.
    package init(_ rollup: Rollup, _ measure: Rollup.Measure) {
        (bounds, counts, sum) = (measure.bounds, rollup.counts(measure), rollup.sum(measure))
    }

    package var count: Int64 { counts.reduce(0, +) }

    package mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// Returns the value below which a part of the values are, from 0 to 1, as if those of a class were spread evenly; the
    /// largest bound where it is above that, nil without values.
    ///
    /// It is never more than their sum allows: of values that are not negative, no larger part than `mean / a` is `a` or
    /// more (Markov's inequality). A class may be much wider than what it has.
    package func quantile(_ part: Double) -> Double? {
        guard let spread = spreadQuantile(part) else { return nil }
        return part < 1 ? min(spread, sum / Double(count) / (1 - part)) : spread
    }

    private func spreadQuantile(_ part: Double) -> Double? {
        let wanted = part * Double(count)
        guard count > 0 else { return nil }
        var before = 0.0
        for (index, bound) in bounds.enumerated() {
            let here = Double(counts[index])
            if before + here >= wanted, here > 0 {
                let low = index == 0 ? 0 : bounds[index - 1]
                return low + (bound - low) * max(0, wanted - before) / here
            }
            before += here
        }
        return bounds.last
    }
}
