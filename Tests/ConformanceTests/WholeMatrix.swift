// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What takes minutes, and is asked for by the Makefile's test-all.
enum WholeMatrix {
    static let isWanted = ProcessInfo.processInfo.environment["CURFEW_CONFORM_MATRIX"] == "1"
    static let reason = "takes minutes: CURFEW_CONFORM_MATRIX=1, as in make test-all"
}
