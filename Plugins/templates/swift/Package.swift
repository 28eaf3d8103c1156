// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Where Curfew is installed; the Makefile can say otherwise: make CURFEW_PREFIX=/elsewhere.
let curfew = Context.environment["CURFEW_PREFIX"] ?? "@PREFIX@"

// The module's name has to differ from that of every other plugin in the host's process.
let package = Package(
    name: "sample",
    products: [.library(name: "sample", type: .dynamic, targets: ["SamplePlugin"])],
    dependencies: [.package(path: "\(curfew)/share/curfew/CurfewPlugin")],
    targets: [
        .target(
            name: "SamplePlugin",
            dependencies: [.product(name: "CurfewPlugin", package: "CurfewPlugin")])
    ]
)
