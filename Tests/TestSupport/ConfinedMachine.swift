// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The features of this machine that confine processes, for tests that depend on them.
package enum ConfinedMachine {
    private static let missing = (ProcessInfo.processInfo.environment["CURFEW_WITHOUT"] ?? "")
        .split(separator: ",")

    /// Whether the tests were not started without a feature, by `make test-without`.
    package static func has(_ feature: String) -> Bool {
        !missing.contains { $0 == feature }
    }
}
