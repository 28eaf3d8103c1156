// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A module that is called SwiftUI, for code that says so and is not to be changed. It is a package of
// its own, since it makes `#if canImport(SwiftUI)` true in every target that is built with it. A package
// that wants it depends on this directory by its path.
let package = Package(
    name: "SwiftUI",
    products: [.library(name: "SwiftUI", targets: ["SwiftUI"])],
    dependencies: [.package(name: "curfew", path: "../..")],
    targets: [
        .target(
            name: "SwiftUI",
            dependencies: [.product(name: "SwiftUIBackground", package: "curfew")])
    ],
    swiftLanguageModes: [.v6]
)
