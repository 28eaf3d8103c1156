// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// An app of the harness with a home and an `Info.plist` of its own, which can be run again and again.
struct App {
    private let home: TemporaryDirectory

    /// - Parameters:
    ///   - permitted: besides the refresh, the cleanup and the exports.
    ///   - modes: of `UIBackgroundModes`.
    ///   - bundle: its identifier.
    init(
        permitted: [String] = [], modes: [String] = ["fetch", "processing"],
        bundle: String = "org.example.app"
    ) throws {
        home = try TemporaryDirectory()
        let all =
            ["org.example.app.refresh", "org.example.app.cleanup", "org.example.app.export.*"]
            + permitted
        let list: [String: Any] = [
            "CFBundleIdentifier": bundle, "UIBackgroundModes": modes,
            "BGTaskSchedulerPermittedIdentifiers": all,
        ]
        let data = try PropertyListSerialization.data(
            fromPropertyList: list, format: .xml, options: 0)
        try home.write(Array(data), to: "Info.plist")
    }

    /// Runs one scenario to its end.
    func run(
        _ scenario: String, _ argument: String = "", plist: String? = nil, state: String? = nil
    ) throws -> AppRun {
        var environment = ProcessInfo.processInfo.environment
        environment["XDG_STATE_HOME"] = state ?? home.path("state")
        environment["CURFEW_INFO_PLIST"] = plist ?? home.path("Info.plist")
        return AppRun(
            process: try ChildProcess.run(
                BuiltProducts.path(ofProduct: "app-harness"), [scenario, argument],
                environment: environment,
                limit: .seconds(60)),
            plist: home.path("Info.plist"), state: home.path("state"))
    }
}
