// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("All programs for Apple's modules", .enabled(if: isWanted, reason))
struct AllProgramsTests {
    private static let isWanted = ProcessInfo.processInfo.environment["CURFEW_ALL_PROGRAMS"] == "1"
    private static let reason: Comment =
        "takes a minute: CURFEW_ALL_PROGRAMS=1, as in make test-all"

    private static func programs() throws -> [Program] {
        try Program.all().filter(\.isWithinReach)
    }

    @Test(
        "They compile unchanged, in Swift 6 as well unless they say why not",
        arguments: try programs())
    func compile(_ program: Program) throws {
        try ProgramCheck(program).compiles()
    }

    @Test("They print what they should", arguments: try programs().filter { !$0.prints.isEmpty })
    func behave(_ program: Program) throws {
        try ProgramCheck(program).behaves()
    }
}
