// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Swift packages that depend on this one")
struct SwiftPackageTests {
    /// Outside this repository the Makefile's variables are not set.
    private let environment = ProcessInfo.processInfo.environment.filter {
        !$0.key.hasPrefix("CURFEW_")
    }

    @Test("A package elsewhere builds with the Swift API, and its program runs")
    func embeds() throws {
        let sources = "\(BuiltProducts.packageRoot)/Tests/Embedding/swift-package"
        let place = try TemporaryDirectory()
        let package = place.path("embedder")
        try FileManager.default.copyItem(atPath: sources, toPath: package)
        let manifest = String(decoding: try place.read("embedder/Package.swift"), as: UTF8.self)
        let path = #"path: "../../..""#
        #expect(manifest.contains(path))
        try place.write(
            manifest.replacingOccurrences(
                of: path, with: #"path: "\#(BuiltProducts.packageRoot)""#),
            to: "embedder/Package.swift")
        // What it builds of Curfew stays, and is the guides', too: it takes the better part of a minute.
        let scratch = "\(BuiltProducts.packageRoot)/.build/guides"
        let built = try Installation.output(
            "swift", ["build", "--package-path", package, "--scratch-path", scratch],
            environment: environment, limit: .seconds(900))
        #expect(!built.contains("warning:"), "\(built)")
        try EmbedderStage(try Installation.forTests()).play(["\(scratch)/debug/embedder"])
    }

    @Test("The manifest has no flag that keeps others from depending on it by version")
    func hasNoUnsafeFlags() throws {
        // The package's own build directory is taken while its tests run.
        let scratch = try TemporaryDirectory()
        func manifest(_ environment: [String: String]) throws -> String {
            try Installation.output(
                "swift",
                [
                    "package", "--package-path", BuiltProducts.packageRoot, "--scratch-path",
                    scratch.path, "dump-package",
                ],
                environment: environment)
        }
        #expect(!(try manifest(environment).contains("unsafeFlags")))
        let ours = environment.merging(["CURFEW_BUILD": "1", "CURFEW_STATIC": "1"]) { $1 }
        #expect(try manifest(ours).contains("unsafeFlags"))
    }
}
