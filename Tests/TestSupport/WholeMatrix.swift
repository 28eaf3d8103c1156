// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What takes minutes, and is asked for by the Makefile's test-all.
package enum WholeMatrix {
    package static let isWanted =
        ProcessInfo.processInfo.environment["CURFEW_CONFORM_MATRIX"] == "1"
    /// At which a plugin is looked at that should pass.
    package static let level = isWanted ? "3" : "2"
    package static let reason = "takes minutes: CURFEW_CONFORM_MATRIX=1, as in make test-all"

    /// How often something is tried that proves more the oftener it is.
    package static func rounds(_ usual: Int, whole: Int) -> Int { isWanted ? whole : usual }

    /// Of all pairs of two things those that are tried: with each of them several others.
    package static func has(_ one: Int, _ other: Int) -> Bool {
        isWanted || (one + other).isMultiple(of: 6)
    }
}
