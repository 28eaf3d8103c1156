// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A plugin made to be looked at by `curfew conform`.
struct Twin {
    /// Its directory.
    let path: String
    /// Where it was made; nil for one that was built before.
    private let files: TemporaryDirectory?

    /// One of Tests/Plugins/twins, with the fault it is named after.
    init(_ name: String) {
        path = BuiltProducts.testPluginDirectory("twins/\(name)")
        files = nil
    }

    /// The one without a fault, with another manifest.
    init(manifest change: (inout [String: Any]) -> Void) throws {
        let files = try TemporaryDirectory()
        let good = Twin("good").path
        try FileManager.default.copyItem(
            atPath: good + "/libtwin.so", toPath: files.path("libtwin.so"))
        let data = try Data(contentsOf: URL(fileURLWithPath: good + "/manifest.json"))
        var manifest = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        change(&manifest)
        let text = try JSONSerialization.data(withJSONObject: manifest, options: .sortedKeys)
        try files.write(Array(text), to: "manifest.json")
        self.files = files
        path = files.path
    }

    /// One with a fault of its own, as macros of twin.h.
    ///
    /// - Parameter name: its directory's.
    init(code: String, named name: String = "twin") throws {
        let files = try TemporaryDirectory()
        let source = try files.write(code + "\n#include \"twin.h\"\n", to: "twin.c")
        let root = BuiltProducts.packageRoot
        let manifest = try Data(
            contentsOf: URL(fileURLWithPath: Twin("good").path + "/manifest.json"))
        try files.write(Array(manifest), to: "\(name)/manifest.json")
        let compiler = try ChildProcess.run(
            "gcc",
            [
                "-std=c11", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden",
                "-I\(root)/include", "-I\(root)/Tests/Plugins/twins", "-Wl,-z,nodelete",
                "-o", files.path("\(name)/libtwin.so"), source,
            ])
        guard compiler.succeeded else {
            throw CocoaError(
                .executableLoad, userInfo: [NSLocalizedFailureReasonErrorKey: "\(compiler)"])
        }
        self.files = files
        path = files.path(name)
    }

    /// Runs a command that takes an identifier on its handler.
    ///
    /// - Parameter words: the command, and what follows the identifier.
    func command(_ words: [String]) throws -> CommandRun {
        CommandRun(
            process: try ChildProcess.run(
                CommandRun.program,
                [words[0], "org.example.twin", "--plugin", path] + words.dropFirst(),
                environment: CommandRun.environment, limit: .seconds(60)))
    }

    /// The directory that a kit makes its own in, and what is in it now.
    static func leftovers(_ directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
    }
}
