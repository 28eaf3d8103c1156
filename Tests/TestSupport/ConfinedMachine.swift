// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What this machine has to confine processes with, as far as a test depends on it.
package enum ConfinedMachine {
    private static let missing = (ProcessInfo.processInfo.environment["CURFEW_WITHOUT"] ?? "")
        .split(separator: ",")

    /// Whether the tests were not started without a feature, by `make test-without`.
    package static func has(_ feature: String) -> Bool {
        !missing.contains { $0 == feature }
    }
}
