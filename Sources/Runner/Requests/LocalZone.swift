// SPDX-License-Identifier: Apache-2.0
import Glibc
public import Scheduling

/// The machine's time zone, as localtime(3) knows it.
public struct LocalZone: TimeZoneRules {
    public init() {}

    public func offset(at instant: Int64) -> Int64 {
        var time = time_t(instant)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return Int64(parts.tm_gmtoff)
    }
}
