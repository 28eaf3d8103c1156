// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The format of a floating-point number.
public struct OSLogFloatFormatting: Sendable {
    private let precision: Int

    /// With six digits behind the point.
    public static var fixed: OSLogFloatFormatting { OSLogFloatFormatting(precision: 6) }
    /// A fixed number of digits after the point.
    public static func fixed(precision: Int) -> OSLogFloatFormatting {
        OSLogFloatFormatting(precision: precision)
    }

    func text(_ number: Double) -> String {
        String(format: "%.\(min(max(precision, 0), 99))f", number)
    }
}
