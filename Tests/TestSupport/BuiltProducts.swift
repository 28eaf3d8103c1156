// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where the things under test are: the package, its products beside the tests, what the Makefile built.
package enum BuiltProducts {
    /// The directory of Package.swift.
    package static let packageRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent()  // TestSupport
        .deletingLastPathComponent()  // Tests
        .deletingLastPathComponent().path

    /// The directory of the running test bundle, where every product of the package is built.
    package static let directory: String = {
        let arguments = CommandLine.arguments
        let bundle = arguments.first { $0.hasSuffix(".xctest") } ?? arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().path
    }()

    /// Where the Makefile installs for tests, as `make install` would.
    package static let prefix = packageRoot + "/.build/prefix"

    /// Where SwiftPM builds the plugins that the tests of one target make: what it builds of Curfew
    /// for one of them, it has for the next. Each target has its own, for two targets run at a time.
    package static func placeForNewPlugins(_ file: String = #fileID) -> String {
        packageRoot + "/.build/new-plugins/" + file.prefix { $0 != "/" }
    }

    /// The path of a product built beside the tests: `curfew`, `libCurfewHost.so`.
    package static func path(ofProduct product: String) -> String { "\(directory)/\(product)" }

    /// The directory of a plugin that is part of Curfew, in `CURFEW_TEST_PLUGINS` if that is set.
    package static func pluginDirectory(_ name: String) -> String {
        let place = ProcessInfo.processInfo.environment["CURFEW_TEST_PLUGINS"]
        return "\(place ?? packageRoot + "/.build/plugins")/\(name)"
    }

    /// The directory of a plugin that exists only for tests.
    package static func testPluginDirectory(_ name: String) -> String {
        "\(packageRoot)/.build/test-plugins/\(name)"
    }
}
