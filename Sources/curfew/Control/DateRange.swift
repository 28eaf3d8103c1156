// SPDX-License-Identifier: Apache-2.0
import Service

/// The range of dates of a call, `from` to `to`, in nanoseconds since 1970 in UTC.
enum DateRange {
    static let names = ["from", "to"]

    /// - Parameters:
    ///   - now: the usual end.
    ///   - usual: the usual length, in nanoseconds.
    static func read(
        _ query: ControlQuery, at now: Int64, usual: Int64
    ) throws(HTTPFault) -> Range<Int64> {
        let to = try query.date("to", at: now) ?? now
        let from = try query.date("from", at: now) ?? max(0, to - usual)
        guard from < to else { throw HTTPFault(400, "query", "`from` has to come before `to`") }
        return from..<to
    }
}
