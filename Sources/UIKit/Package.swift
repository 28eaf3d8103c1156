// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A module that is called UIKit, for code that says so and is not to be changed. It is a package of
// its own, since such a module makes `#if canImport(UIKit)` true in every target that is built with
// it. A package that wants it depends on this directory by its path.
let package = Package(
    name: "UIKit",
    products: [.library(name: "UIKit", targets: ["UIKit"])],
    dependencies: [.package(name: "curfew", path: "../..")],
    targets: [
        .target(
            name: "UIKit", dependencies: [.product(name: "UIKitBackground", package: "curfew")])
    ],
    swiftLanguageModes: [.v6]
)
