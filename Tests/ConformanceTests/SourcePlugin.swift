// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A plugin of a test's own source, which includes twin.h, with the manifest of the twins.
struct SourcePlugin {
    private let files: TemporaryDirectory
    var directory: String { files.path("plugin") }

    /// - Parameter flags: of the compiler, besides those that all have.
    init(_ code: String, flags: [String]) throws {
        files = try TemporaryDirectory()
        let source = try files.write(code, to: "source.c")
        let manifest = try String(
            contentsOfFile: Twin.sources + "/manifest.json", encoding: .utf8)
        try files.write(manifest, to: "plugin/manifest.json")
        let root = BuiltProducts.packageRoot
        let common = [
            "-std=gnu11", "-fPIC", "-shared", "-fvisibility=hidden", "-D_GNU_SOURCE",
            "-I\(root)/include", "-I\(Twin.sources)",
            "-Wl,--version-script=\(root)/Plugins/plugin.map", "-o",
            files.path("plugin/libtwin.so"), source,
        ]
        let built = try ChildProcess.run("gcc", flags + common)
        try #require(built.succeeded, "\(built)")
    }
}
