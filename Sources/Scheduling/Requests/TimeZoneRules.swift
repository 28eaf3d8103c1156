// SPDX-License-Identifier: Apache-2.0

/// The offset of local time from UTC: the port for time zone data.
package protocol TimeZoneRules: Sendable {
    /// Returns the seconds to add to `instant`, seconds since 1970 in UTC, for local time.
    func offset(at instant: Int64) -> Int64
    /// Returns the zone of another name, such as `Europe/Berlin`; nil if there is none.
    func named(_ name: String) -> (any TimeZoneRules)?
}

extension TimeZoneRules {
    package func named(_ name: String) -> (any TimeZoneRules)? { nil }
}

/// UTC itself.
package struct UTC: TimeZoneRules {
    package init() {}
    package func offset(at instant: Int64) -> Int64 { 0 }
}
