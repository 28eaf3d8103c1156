// SPDX-License-Identifier: Apache-2.0

/// A temperature at which the kernel does something about it.
struct TripPoint {
    enum Kind: String {
        /// It throttles.
        case passive
        /// The firmware is notified.
        case hot
        /// The machine is switched off.
        case critical
    }

    let kind: Kind
    /// Thousandths of a degree Celsius.
    let temperature: Int

    /// Firmware that sets no point says 0 or less; below this no machine is hot. Above, none works.
    static let plausible: ClosedRange<Int> = 35_000...150_000
}
