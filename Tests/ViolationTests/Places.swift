// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// Where the plugins of a run are.
///
/// Those in C were put together by the Makefile. Those in Swift are built beside the tests, and get
/// a directory with their manifest here.
struct Places {
    private static let goodSwift = "good-swift"
    private let violation: Violation
    /// For the length of the run.
    let made: TemporaryDirectory

    init(_ violation: Violation) throws {
        self.violation = violation
        made = try TemporaryDirectory()
        guard violation.language == .swift else { return }
        try put(violation.name, from: "violations/\(violation.name)")
        try put(Self.goodSwift, from: Self.goodSwift)
    }

    private func put(_ name: String, from source: String) throws {
        let files = FileManager.default
        let library = "lib\(name).so"
        try files.createDirectory(atPath: made.path(name), withIntermediateDirectories: true)
        try files.copyItem(
            atPath: "\(BuiltProducts.packageRoot)/Tests/Plugins/\(source)/manifest.json",
            toPath: made.path("\(name)/manifest.json"))
        try files.copyItem(
            atPath: BuiltProducts.path(ofProduct: library),
            toPath: made.path("\(name)/\(library)"))
    }

    func directory(of plugin: String) -> String {
        switch plugin {
        case "violation" where violation.language == .swift: made.path(violation.name)
        case "violation": BuiltProducts.testPluginDirectory("violations/\(violation.name)")
        case Self.goodSwift: made.path(plugin)
        default: BuiltProducts.testPluginDirectory(plugin)
        }
    }
}
