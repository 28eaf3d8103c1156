// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A program that was compiled and run to its end, with an Info.plist and a place for requests of its own.
struct ProgramRun {
    /// How the compiler fared, and nothing more where it failed; otherwise how the program did.
    let process: ChildProcess

    init(_ program: Program, _ mode: SwiftMode) throws {
        let place = try TemporaryDirectory()
        let executable = place.path(program.name)
        let compiled = try ProgramCompiler().compile(program, mode, into: executable)
        guard compiled.succeeded else {
            process = compiled
            return
        }
        let list = try PropertyListSerialization.data(
            fromPropertyList: program.propertyList, format: .xml, options: 0)
        let own = [
            "XDG_STATE_HOME": place.path,
            "CURFEW_INFO_PLIST": try place.write(Array(list), to: "Info.plist"),
        ]
        process = try ChildProcess.run(
            executable,
            environment: ProcessInfo.processInfo.environment.merging(own) { $1 },
            limit: .seconds(20))
    }

    /// The first of these lines that was not printed after those before it; nil: they all were.
    func missing(of lines: [String]) -> String? {
        var printed = process.output.split(separator: "\n", omittingEmptySubsequences: false)[...]
        return lines.first { line in
            guard let place = printed.firstIndex(where: { $0 == line }) else { return true }
            printed = printed[(place + 1)...]
            return false
        }
    }
}
