// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Programs for Apple's modules")
struct ProgramTests {
    /// One of each kind: an article's code, a protocol around the scheduler, async code, a delegate
    /// that UIKit's runtime would make, a type of the main actor, other modules by Apple's names.
    private static let chosen = [
        "source-004", "scheduler-protocol", "async-handler", "delegate-object", "main-actor-model",
        "foundation-alone", "os-logger", "swiftui-app",
    ]

    @Test("Each says what it shows and what becomes of it in Swift 6; half of them are run")
    func heads() throws {
        let programs = try Program.all()
        for program in programs {
            #expect(program.manner != nil, "\(program.name)")
            #expect(program.inSwift6 != nil, "\(program.name)")
        }
        let names = programs.map(\.name)
        #expect(Set(["source-001", "source-003", "source-004"]).isSubset(of: names))
        #expect(names.count >= 23)
        #expect(programs.count { !$0.prints.isEmpty } >= 12)
    }

    @Test("Some of them compile unchanged, and print what they should", arguments: chosen)
    func behave(_ name: String) throws {
        let program = try Program(name)
        try ProgramCheck(program).compiles()
        try ProgramCheck(program).behaves()
    }
}
