// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A scenario of Tests/LifeHarness, in a process of its own.
struct LifeHarness {
    /// What it printed, line by line.
    let lines: [String]
    let process: ChildProcess

    /// - Parameters:
    ///   - modes: `UIBackgroundModes` of its `Info.plist`.
    ///   - permitted: `BGTaskSchedulerPermittedIdentifiers`.
    ///   - sceneDelegate: the class of the one scene that `UIApplicationSceneManifest` has; nil: there
    ///     is no such manifest.
    init(
        _ scenario: String, _ options: [String] = [], modes: [String] = ["fetch"],
        permitted: [String] = [], sceneDelegate: String? = nil
    ) throws {
        let directory = try TemporaryDirectory()
        let list = try directory.write(
            Self.plist(modes, permitted, sceneDelegate), to: "Info.plist")
        var environment = [
            "CURFEW_INFO_PLIST": list, "XDG_STATE_HOME": directory.path,
            // Who is to end by a signal ends by that one.
            "SWIFT_BACKTRACE": "enable=no",
        ]
        // What a sanitizer is told holds there, too: it takes what a weak reference has for lost, as
        // Swift keeps the address shifted.
        for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            environment[name] = ProcessInfo.processInfo.environment[name]
        }
        process = try ChildProcess.run(
            BuiltProducts.path(ofProduct: "life-harness"), [scenario] + options,
            environment: environment)
        lines = process.output.split(separator: "\n").map(String.init)
    }

    private static func plist(
        _ modes: [String], _ permitted: [String], _ sceneDelegate: String?
    ) -> String {
        func array(_ strings: [String]) -> String {
            "<array>" + strings.map { "<string>\($0)</string>" }.joined() + "</array>"
        }
        let identifiers =
            permitted.isEmpty
            ? "" : "<key>BGTaskSchedulerPermittedIdentifiers</key>\(array(permitted))"
        let scenes = sceneDelegate.map {
            """
            <key>UIApplicationSceneManifest</key><dict><key>UISceneConfigurations</key><dict>
            <key>UIWindowSceneSessionRoleApplication</key><array><dict>
            <key>UISceneConfigurationName</key><string>Default</string>
            <key>UISceneDelegateClassName</key><string>\($0)</string>
            </dict></array></dict></dict>
            """
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>com.example.life</string>
            <key>UIBackgroundModes</key>\(array(modes))\(identifiers)\(scenes ?? "")
            </dict></plist>
            """
    }
}
