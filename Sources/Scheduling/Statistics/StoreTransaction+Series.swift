// SPDX-License-Identifier: Apache-2.0

extension StoreTransaction {
    /// Returns what happened in spans that begin in a range of dates, ordered by date and identifier: of an identifier, or
    /// of each. The last hours are made from their minutes.
    package func series(
        _ span: RollupSpan, of identifier: String?, in dates: Range<Int64>
    ) throws(StoreFault) -> [StoredRollup] {
        let kept = try rollups(span, of: identifier, in: dates)
        guard span == .hour else { return kept }
        var sums: [RollupKey: Rollup] = [:]
        for rollup in kept {
            sums[RollupKey(span, rollup.identifier, at: rollup.at), default: Rollup()] +=
                rollup.rollup
        }
        for minute in try rollups(.minute, of: identifier, in: dates) {
            let hour = RollupSpan.hour.beginning(of: minute.at)
            sums[RollupKey(span, minute.identifier, at: hour), default: Rollup()] += minute.rollup
        }
        return sums.sorted { $0.key.goesBefore($1.key) }.map {
            StoredRollup($0.key.identifier, at: $0.key.at, $0.value)
        }
    }
}
