// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What takes a minute, and is asked for by the Makefile's test-all.
enum AllPrograms {
    static let isWanted = ProcessInfo.processInfo.environment["CURFEW_ALL_PROGRAMS"] == "1"
    static let reason: Comment =
        "takes a minute: CURFEW_ALL_PROGRAMS=1, as in make test-all"
}
