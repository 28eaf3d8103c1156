// SPDX-License-Identifier: Apache-2.0

/// The current readings of the machine's factors.
///
/// Readings are debounced: a change counts once it has lasted for a while, so that a loose plug
/// does not start and stop tasks. The first reading of a factor counts at once, and so does an
/// override.
package struct FactorBoard: Sendable {
    package struct Entry: Hashable, Sendable {
        package let reading: FactorReading
        /// Nanoseconds since 1970 in UTC.
        package let since: Int64
    }

    private struct Change: Sendable {
        let reading: FactorReading
        let firstRead: Moment
    }

    private var entries: [Factor: Entry] = [:]
    private var changes: [Factor: Change] = [:]
    /// The ends of overrides on the clock of spans, by factor; `.max` for an override without an end. An overridden
    /// factor ignores its sources.
    private var byHand: [Factor: UInt64] = [:]
    private var lastRead: [Factor: FactorReading] = [:]
    /// The nanoseconds that a change has to last before it counts.
    package var debounce: UInt64

    package init(debounce: UInt64 = 5_000_000_000) { self.debounce = debounce }

    package subscript(factor: Factor) -> Entry? { entries[factor] }

    package func state(_ factor: Factor) -> FactorState {
        entries[factor]?.reading.state ?? .unknown
    }

    /// Records a reading of a source.
    package mutating func observe(_ factor: Factor, _ reading: FactorReading, at now: Moment) {
        lastRead[factor] = reading
        guard byHand[factor] == nil else { return }
        guard let entry = entries[factor], entry.reading.state != .unknown,
            debounce > 0
        else {
            place(factor, reading, at: now.wall)
            return
        }
        if reading.state == entry.reading.state {
            changes[factor] = nil
            place(factor, reading, at: now.wall)
        } else if changes[factor]?.reading.state != reading.state {
            changes[factor] = Change(reading: reading, firstRead: now)
        }
    }

    /// Sets an entry as another board had it.
    package mutating func restore(_ factor: Factor, _ entry: Entry) { entries[factor] = entry }

    /// Overrides a factor, or with nil returns it to its sources. The change counts at once.
    ///
    /// - Parameter span: nanoseconds for which the override holds; nil: until it is ended.
    package mutating func set(
        _ factor: Factor, _ reading: FactorReading?, for span: UInt64? = nil, at now: Moment
    ) {
        changes[factor] = nil
        if let reading {
            byHand[factor] =
                span.map { now.span.addingReportingOverflow($0) }
                .flatMap { $0.overflow ? nil : $0.partialValue } ?? .max
            place(factor, reading, at: now.wall)
        } else if byHand.removeValue(forKey: factor) != nil {
            entries[factor] = nil
            if let last = lastRead[factor] { place(factor, last, at: now.wall) }
        }
    }

    /// Applies the changes that have lasted long enough, and ends the overrides whose time is over. Returns the factors
    /// that changed.
    package mutating func settle(at now: Moment) -> [Factor] {
        let over = byHand.filter { $0.value <= now.span }.keys
        for factor in over { set(factor, nil, at: now) }
        let due = changes.filter { now.span &- $0.value.firstRead.span >= debounce }
        for (factor, change) in due {
            changes[factor] = nil
            // The time of the first reading.
            place(factor, change.reading, at: change.firstRead.wall)
        }
        return (Array(over) + due.keys).sorted { $0.rawValue < $1.rawValue }
    }

    /// The time of the next call of `settle`, on the clock of spans.
    package var next: UInt64? {
        // `UInt64.max` means never.
        let settled = changes.values.map { change in
            let (sum, overflow) = change.firstRead.span.addingReportingOverflow(debounce)
            return overflow ? .max : sum
        }
        return (settled + byHand.values.filter { $0 < .max }).min()
    }

    /// Returns a changed reading that does not count yet.
    package func announced(_ factor: Factor) -> FactorReading? { changes[factor]?.reading }

    private mutating func place(_ factor: Factor, _ reading: FactorReading, at now: Int64) {
        let since = entries[factor].flatMap {
            $0.reading.state == reading.state ? $0.since : nil
        }
        entries[factor] = Entry(reading: reading, since: since ?? now)
    }
}
