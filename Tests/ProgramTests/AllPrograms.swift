// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What takes half a minute, and is asked for by the Makefile's test-all.
enum AllPrograms {
    static let isWanted = ProcessInfo.processInfo.environment["CURFEW_ALL_PROGRAMS"] == "1"
    static let reason: Comment =
        "takes half a minute: CURFEW_ALL_PROGRAMS=1, as in make test-all"
}
