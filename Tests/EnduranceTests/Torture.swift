// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// How much is tried: little with every change, all of it with `make torture`.
enum Torture {
    private static let environment = ProcessInfo.processInfo.environment

    static let isWanted = environment["CURFEW_TORTURE"] == "1"
    /// Processes that are killed at moments left to chance.
    static let kills = environment["CURFEW_KILLS"].flatMap(Int.init) ?? 50
    static let reason: Comment = "takes minutes: make torture"

    /// What was measured, for whoever reads the run.
    static func tell(_ text: String) { print("endurance: \(text)") }
}
