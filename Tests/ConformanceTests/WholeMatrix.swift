// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What takes minutes, and is asked for by the Makefile's test-all.
enum WholeMatrix {
    static let isWanted = ProcessInfo.processInfo.environment["CURFEW_CONFORM_MATRIX"] == "1"
    /// At which a plugin is looked at that should pass.
    static let level = isWanted ? "3" : "2"
    static let reason = "takes minutes: CURFEW_CONFORM_MATRIX=1, as in make test-all"
}
