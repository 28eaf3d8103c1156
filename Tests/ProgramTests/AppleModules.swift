// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// Apple's modules with their host, as one library that programs are linked with. It is no product of
/// the package: nobody but these programs needs it.
enum AppleModules {
    /// The directory of libAppleModules.so, made once of what the tests' build left behind.
    static let library = Result { try make() }

    private static let targets = [
        "CAppHost", "AppHost", "FoundationBackground", "BackgroundTasks", "UIKitBackground",
        "SwiftUIBackground", "OSLogging",
        "CInterface", "Curfew", "Runner", "PluginBridge", "Persistence", "Surroundings",
        "Scheduling", "CurfewValues", "CFaults", "CSystem",
    ]

    private static func make() throws -> TemporaryDirectory {
        let place = try TemporaryDirectory()
        let objects = try targets.flatMap(objects)
        let linked = try ChildProcess.run(
            "swiftc",
            ["-emit-library", "-o", place.path("libAppleModules.so")] + objects
                + ["-lffi", "-lsqlite3"])
        guard linked.succeeded else { throw TestFault(text: "\(linked)") }
        return place
    }

    /// A target's objects. Those of sources that are gone stay in the directory: of Swift's, the
    /// compiler's own list says which there are.
    private static func objects(of target: String) throws -> [String] {
        let directory = BuiltProducts.directory + "/\(target).build"
        if let list = FileManager.default.contents(atPath: directory + "/output-file-map.json") {
            let map = try JSONSerialization.jsonObject(with: list) as? [String: [String: String]]
            return map?.values.compactMap { $0["object"] }.sorted() ?? []
        }
        return try FileManager.default.subpathsOfDirectory(atPath: directory)
            .filter { $0.hasSuffix(".o") }.sorted().map { directory + "/" + $0 }
    }
}
