// SPDX-License-Identifier: Apache-2.0

/// The offset of local time from UTC: the port for time zone data.
package protocol TimeZoneRules: Sendable {
    /// Seconds to be added to `instant`, seconds since 1970 in UTC, to have what the wall shows.
    func offset(at instant: Int64) -> Int64
}

/// UTC itself.
package struct UTC: TimeZoneRules {
    package init() {}
    package func offset(at instant: Int64) -> Int64 { 0 }
}
