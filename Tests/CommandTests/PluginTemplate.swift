// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A template of `curfew new`, as a plugin named `my-feed` is made of it.
struct PluginTemplate: CustomTestStringConvertible, Sendable {
    let language: String
    let title: String
    /// Its files besides those that all templates have.
    let files: Set<String>
    /// A payload with which its handler succeeds.
    var payload = "root\n/etc/passwd"
    var hasLibrary = true

    static let all = [
        PluginTemplate(language: "c", title: "C", files: ["my-feed.c"]),
        PluginTemplate(language: "c++", title: "C++", files: ["my-feed.cpp", "plugin.map"]),
        PluginTemplate(
            language: "swift", title: "Swift",
            files: [
                "Package.swift", "Sources/MyFeedPlugin/Entry.swift",
                "Sources/MyFeedPlugin/MyFeedCount.swift",
                "Sources/MyFeedPlugin/MyFeedHandler.swift",
                "Sources/MyFeedPlugin/MyFeedProblem.swift", "plugin.map",
            ], payload: "/etc/passwd"),
        PluginTemplate(
            language: "rust", title: "Rust",
            files: [
                "Cargo.lock", "Cargo.toml", "curfew/Cargo.toml", "curfew/src/ffi.rs",
                "curfew/src/lib.rs", "src/lib.rs",
            ]),
        PluginTemplate(
            language: "call", title: "JSON", files: [], payload: "123456789", hasLibrary: false),
    ]

    var testDescription: String { language }

    /// The variables with which it is built: what compilers keep is beside the plugin, not in it.
    func variables(_ plugin: NewPlugin) -> [String: String] {
        var variables = ["CARGO_TARGET_DIR": plugin.place.path("cargo")]
        // A Rust of rustup looks for itself in the home directory, which is another one here.
        variables["RUSTUP_HOME"] = RustToolchain.home
        if language == "swift" {
            // SwiftPM then builds where this says, whatever a Makefile says.
            variables["SWIFTPM_BUILD_DIR"] = BuiltProducts.placeForNewPlugins()
        }
        return variables
    }
}
