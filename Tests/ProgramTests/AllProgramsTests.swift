// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("All programs for Apple's modules", .enabled(if: AllPrograms.isWanted, AllPrograms.reason))
struct AllProgramsTests {
    @Test(
        "They compile unchanged, in Swift 6 as well unless they say why not",
        arguments: try Program.all())
    func compile(_ program: Program) throws {
        try ProgramCheck(program).compiles()
    }

    @Test("They print what they should", arguments: try Program.all().filter { !$0.prints.isEmpty })
    func behave(_ program: Program) throws {
        try ProgramCheck(program).behaves()
    }
}
