// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A plugin that `curfew new` has made of a template, built as a newcomer does it.
final class Template: Sendable {
    /// Built once for all tests: a Swift package takes its time.
    static let c = Result { try Template("find-words", "c") }
    static let swift = Result { try Template("line-count", "swift") }

    /// The plugin's directory, whose path has a space in it.
    let path: String
    /// What a host loads.
    let plugin: String
    private let place: TemporaryDirectory

    private init(_ name: String, _ language: String) throws {
        place = try TemporaryDirectory()
        path = place.path("of my own/\(name)")
        plugin = "\(path)/build/\(name)"
        for directory in ["of my own", "home"] {
            try FileManager.default.createDirectory(
                atPath: place.path(directory), withIntermediateDirectories: true)
        }
        let made = try ChildProcess.run(
            Template.program,
            ["new", name, "--lang", language, "--into", place.path("of my own")],
            environment: environment)
        guard made.succeeded else { throw TestFault(text: "curfew new: \(made)") }
        let built = try make()
        guard built.succeeded else { throw TestFault(text: "make in \(path): \(built)") }
    }

    private static let program = "\(BuiltProducts.prefix)/bin/curfew"

    /// Only where programs are: nothing that would lead the build to this repository.
    var environment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": place.path("home"), "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
            "SWIFTPM_BUILD_DIR": BuiltProducts.placeForNewPlugins(),
        ]
    }

    /// Runs make in the plugin's directory.
    func make(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess.run(
            "make", arguments, environment: environment, directory: path, limit: .seconds(600))
    }

    /// Runs the installed command there.
    func curfew(_ arguments: String...) throws -> ChildProcess { try curfew(arguments) }

    /// Runs the installed command there.
    func curfew(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess.run(
            Template.program, arguments, environment: environment, directory: path)
    }

    /// Writes a file beside the plugin, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try place.write(text, to: name)
    }
}
