// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// What is expected of a program.
struct ProgramCheck {
    private let program: Program
    private let inSwift6: InSwift6

    init(_ program: Program) throws {
        self.program = program
        inSwift6 = try #require(program.inSwift6, "\(program.name) does not say: // Swift 6: …")
    }

    /// It compiles in Swift 5, and in Swift 6 exactly if it says so.
    func compiles() throws {
        let five = try ProgramCompiler().typeCheck(program, .five)
        #expect(five.succeeded, "\(program.name) in Swift 5: \(five)")
        let six = try ProgramCompiler().typeCheck(program, .six)
        if case .isRefused(let reason) = inSwift6 {
            let isRefused = six.ending == .exited(1) && six.errorOutput.contains("error:")
            #expect(isRefused, "\(program.name) compiles in Swift 6 after all: \(reason)")
        } else {
            #expect(six.succeeded, "\(program.name) in Swift 6: \(six)")
        }
    }

    /// It ends by itself, and has printed what it should.
    func behaves() throws {
        let run = try ProgramRun(program, inSwift6.mode)
        #expect(run.process.succeeded, "\(program.name): \(run.process)")
        let missing = run.missing(of: program.prints)
        #expect(missing == nil, "\(program.name) did not print this in its place\n\(run.process)")
    }
}
