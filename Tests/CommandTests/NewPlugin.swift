// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A directory in which the installed `curfew new` is run, with nothing of this repository about.
final class NewPlugin: Sendable {
    let place: TemporaryDirectory
    /// Where Curfew is.
    let prefix: String

    init(prefix: String = BuiltProducts.prefix) throws {
        place = try TemporaryDirectory()
        self.prefix = prefix
        try FileManager.default.createDirectory(
            atPath: place.path("at work"), withIntermediateDirectories: true)
    }

    /// Where it is run; the path has a space in it.
    var path: String { place.path("at work") }

    var environment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": place.path("home"), "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
        ]
    }

    /// Runs `curfew new`.
    func new(_ arguments: String...) throws -> ChildProcess {
        try run("\(prefix)/bin/curfew", ["new"] + arguments)
    }

    /// Runs a program there, or in a directory below.
    func run(
        _ program: String, _ arguments: [String], in directory: String = ".",
        variables: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess.run(
            program, arguments, environment: environment.merging(variables) { $1 },
            directory: "\(path)/\(directory)", limit: .seconds(600))
    }

    /// What is below the place, directories too.
    func contents(_ directory: String = ".") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: "\(path)/\(directory)").sorted()
    }

    /// The files below a directory of the place.
    func files(_ directory: String) throws -> [String] {
        try contents(directory).filter { name in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: "\(path)/\(directory)/\(name)", isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
}
