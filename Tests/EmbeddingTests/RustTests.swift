// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Programs that embed Curfew in Rust")
struct RustTests {
    @Test("A program compiles with what bindgen makes of the headers, without Cargo, and runs")
    func embeds() throws {
        let installation = try Installation.forTests()
        let place = try TemporaryDirectory()
        _ = try Installation.output(
            "bindgen",
            [
                "--no-rustfmt-bindings", installation.path("include/curfew/curfew.h"), "-o",
                place.path("curfew.rs"),
            ])
        let libraries = installation.path("lib")
        var environment = ProcessInfo.processInfo.environment
        environment["CURFEW_BINDINGS"] = place.path("curfew.rs")
        _ = try Installation.output(
            "rustc",
            [
                "--edition", "2021", "-D", "warnings", "-L", libraries, "-l", "curfew", "-C",
                "link-arg=-Wl,-rpath,\(libraries)", "-o", place.path("embedder"),
                "\(BuiltProducts.packageRoot)/Tests/Embedding/rust/embedder.rs",
            ], environment: environment)
        try EmbedderStage(installation).play([place.path("embedder")])
    }
}
