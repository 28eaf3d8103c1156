// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("All programs for Apple's modules", .enabled(if: AllPrograms.isWanted, AllPrograms.reason))
struct AllProgramsTests {
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
