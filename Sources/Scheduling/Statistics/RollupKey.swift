// SPDX-License-Identifier: Apache-2.0

/// The span of time and the identifier for which something counts.
package struct RollupKey: Hashable, Sendable {
    package let span: RollupSpan
    package let identifier: String
    /// When the span begins, in nanoseconds since 1970 in UTC.
    package let at: Int64

    package init(_ span: RollupSpan, _ identifier: String, at: Int64) {
        (self.span, self.identifier, self.at) = (span, identifier, at)
    }

    /// What happened at a date counts for its minute; for its hour where the minutes of that are not kept any more. Nil
    /// where neither is.
    package init?(_ identifier: String, at date: Int64, now: Int64) {
        let span: RollupSpan = date >= RollupSpan.minute.firstKept(at: now) ? .minute : .hour
        guard date >= span.firstKept(at: now) else { return nil }
        self.init(span, identifier, at: span.beginning(of: date))
    }
}

extension RollupKey {
    /// Orders keys by their members; identifiers by their bytes.
    package func goesBefore(_ other: RollupKey) -> Bool {
        if (span.rawValue, at) != (other.span.rawValue, other.at) {
            return (span.rawValue, at) < (other.span.rawValue, other.at)
        }
        return identifier.utf8.lexicographicallyPrecedes(other.identifier.utf8)
    }
}
