// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Modules that are called os and OSLog, for code that says so and is not to be changed. They are a
// package of their own, since they make `#if canImport(os)` true in every target that is built with
// them. A package that wants them depends on this directory by its path.
let package = Package(
    name: "os",
    products: [
        .library(name: "os", targets: ["os"]), .library(name: "OSLog", targets: ["OSLog"]),
    ],
    dependencies: [.package(name: "curfew", path: "../..")],
    targets: [
        .target(name: "os", dependencies: [.product(name: "OSLogging", package: "curfew")]),
        .target(name: "OSLog", dependencies: [.product(name: "OSLogging", package: "curfew")]),
    ],
    swiftLanguageModes: [.v6]
)
