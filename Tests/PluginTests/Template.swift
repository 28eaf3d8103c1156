// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A template, copied out of the installation as a newcomer does it, and built there.
final class Template: Sendable {
    /// Built once for all tests: a Swift package takes its time.
    static let c = Result { try Template("c") }
    static let swift = Result { try Template("swift") }

    /// The directory of the copy, whose path has a space in it.
    let path: String
    private let place: TemporaryDirectory

    private init(_ name: String) throws {
        place = try TemporaryDirectory()
        path = place.path("of my own/plugin")
        try FileManager.default.createDirectory(
            atPath: place.path("of my own"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: place.path("home"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(BuiltProducts.prefix)/share/curfew/templates/\(name)", toPath: path)
        let built = try make()
        guard built.succeeded else { throw Fault(text: "make in \(path): \(built)") }
    }

    /// Only where programs are: nothing that would lead the build to this repository.
    var environment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": place.path("home"), "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
        ]
    }

    /// Runs make in the copy.
    func make(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess.run(
            "make", arguments, environment: environment, directory: path, limit: .seconds(600))
    }

    /// Runs the installed command in the copy.
    func curfew(_ arguments: String...) throws -> ChildProcess { try curfew(arguments) }

    /// Runs the installed command in the copy.
    func curfew(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess.run(
            "\(BuiltProducts.prefix)/bin/curfew", arguments, environment: environment,
            directory: path)
    }

    /// Writes a file beside the copy, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try place.write(text, to: name)
    }

    /// Reads a file of the copy.
    func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
}
