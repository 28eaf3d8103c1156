// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Projects that find Curfew with CMake")
struct CMakeTests {
    /// The installation as a user has it who moved it to a directory of another name.
    private static let moved = Result { () throws -> (TemporaryDirectory, Installation) in
        let place = try TemporaryDirectory()
        let copy = Installation(prefix: place.path("moved to here"))
        try FileManager.default.copyItem(
            atPath: try Installation.forTests().prefix, toPath: copy.prefix)
        return (place, copy)
    }

    @Test("A project in C++ finds a prefix that was moved and has spaces, and runs")
    func embeds() throws {
        let (place, installation) = try Self.moved.get()
        let build = place.path("build here")
        _ = try Installation.output(
            "cmake",
            [
                "-S", "\(BuiltProducts.packageRoot)/Tests/Embedding/cmake", "-B", build,
                "-DCMAKE_PREFIX_PATH=\(installation.prefix)",
            ])
        _ = try Installation.output("cmake", ["--build", build])
        try EmbedderStage(installation).play(["\(build)/embedder"])
    }

    @Test(
        "A project gets the release it asks for or a newer one of the same line",
        arguments: [
            ("", true), ("0", false), ("0.1", true), ("0.1.0", true), ("0.1.0 EXACT", true),
            ("0.1.1", false), ("0.0.9", false), ("0.2", false), ("1", false), ("0.10", false),
            ("0.1...<0.2", true), ("0.0...1", true), ("0.0...<0.1", false), ("0.2...1", false),
        ])
    func finds(request: String, isFound: Bool) throws {
        let found = try configure(
            """
            find_package(Curfew \(request) CONFIG QUIET)
            find_package(Curfew \(request) CONFIG QUIET)
            message("found: ${Curfew_FOUND} ${Curfew_VERSION} ${Curfew_PLUGIN_DIR}")
            """)
        let (_, installation) = try Self.moved.get()
        let plugins = installation.path("lib/curfew/plugins")
        let told = isFound ? "found: 1 0.1.0 \(plugins)" : "found: 0 "
        #expect(found.succeeded)
        #expect(found.errorOutput.contains(told), "\(found.errorOutput)")
    }

    @Test("By way of a link it is found where it is, not where the link is")
    func followsLinks() throws {
        let (_, installation) = try Self.moved.get()
        let alias = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: alias.path("lib"), withDestinationPath: installation.path("lib"))
        let found = try configure(
            """
            find_package(Curfew CONFIG REQUIRED)
            message("plugins: ${Curfew_PLUGIN_DIR}")
            """, prefix: alias.path)
        let plugins = installation.path("lib/curfew/plugins")
        #expect(found.errorOutput == "plugins: \(plugins)\n")
    }

    @Test("An installation whose library is gone is not found, and says what is missing")
    func saysWhatIsMissing() throws {
        let (place, installation) = try Self.moved.get()
        let broken = Installation(prefix: place.path("broken"))
        defer { try? FileManager.default.removeItem(atPath: broken.prefix) }
        try FileManager.default.copyItem(
            atPath: installation.path("lib/cmake"), toPath: place.path("cmake"))
        try FileManager.default.createDirectory(
            atPath: broken.path("lib"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            atPath: place.path("cmake"), toPath: broken.path("lib/cmake"))
        let found = try configure("find_package(Curfew REQUIRED)", prefix: broken.prefix)
        #expect(!found.succeeded)
        let words = found.errorOutput.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("lib/libcurfew.so.0.1.0 is missing beside"), "\(words)")
        #expect(words.contains("install Curfew again"), "\(words)")
    }

    /// Configures a project that is made of these commands.
    private func configure(_ commands: String, prefix: String? = nil) throws -> ChildProcess {
        let project = try TemporaryDirectory()
        let (_, installation) = try Self.moved.get()
        try project.write(
            "cmake_minimum_required(VERSION 3.19)\nproject(found LANGUAGES NONE)\n\(commands)\n",
            to: "CMakeLists.txt")
        return try ChildProcess.run(
            "cmake",
            [
                "-S", project.path, "-B", project.path("build"),
                "-DCMAKE_PREFIX_PATH=\(prefix ?? installation.prefix)",
            ])
    }
}
