// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package that embeds Curfew, which is found by its path here. By version it is:
//
//     .package(url: "https://example.org/curfew.git", .upToNextMinor(from: "0.1.0"))
//
// Curfew's manifest carries flags that SwiftPM takes from root packages only where CURFEW_BUILD is
// set, which is Curfew's own Makefile's business: leave it unset.
let package = Package(
    name: "embedder",
    dependencies: [.package(name: "curfew", path: "../../..")],
    targets: [
        .executableTarget(
            name: "embedder", dependencies: [.product(name: "Curfew", package: "curfew")])
    ],
    swiftLanguageModes: [.v6]
)
