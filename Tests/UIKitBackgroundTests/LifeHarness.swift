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
    init(
        _ scenario: String, _ options: [String] = [], modes: [String] = ["fetch"],
        permitted: [String] = []
    ) throws {
        let directory = try TemporaryDirectory()
        let list = try directory.write(Self.plist(modes, permitted), to: "Info.plist")
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

    private static func plist(_ modes: [String], _ permitted: [String]) -> String {
        func array(_ strings: [String]) -> String {
            "<array>" + strings.map { "<string>\($0)</string>" }.joined() + "</array>"
        }
        let identifiers =
            permitted.isEmpty
            ? "" : "<key>BGTaskSchedulerPermittedIdentifiers</key>\(array(permitted))"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>com.example.life</string>
            <key>UIBackgroundModes</key>\(array(modes))\(identifiers)
            </dict></plist>
            """
    }
}
