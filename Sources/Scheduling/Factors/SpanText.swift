// SPDX-License-Identifier: Apache-2.0

/// A duration as text: "350 ms", "20 s", "4 min", "3 h 20 min", "2 d". Rounded down, so that a span
/// that has just begun does not read as over.
package struct SpanText: CustomStringConvertible, Sendable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package var description: String {
        let seconds = nanoseconds / 1_000_000_000
        if seconds == 0 { return "\(nanoseconds / 1_000_000) ms" }
        if seconds < 120 { return "\(seconds) s" }
        let minutes = seconds / 60
        if minutes < 120, minutes != 60 { return "\(minutes) min" }
        let hours = minutes / 60
        if hours < 48 {
            return minutes % 60 == 0 ? "\(hours) h" : "\(hours) h \(minutes % 60) min"
        }
        return hours % 24 == 0 ? "\(hours / 24) d" : "\(hours / 24) d \(hours % 24) h"
    }
}
