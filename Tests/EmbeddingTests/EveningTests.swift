// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// What somebody sees who installs Curfew in the evening, goes home, and comes back in the morning.
@Suite("The first evening with Curfew")
struct EveningTests {
    private static let fakeTime = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map {
        "/usr/lib/\($0)/faketime/libfaketimeMT.so.1"
    }.first { FileManager.default.fileExists(atPath: $0) }

    @Test(
        "A schedule, a command, a plugin that crashes and an app that does not run have done their work by morning, and Curfew tells what happened",
        .enabled(if: fakeTime != nil, "libfaketime is not installed: make test-packages"))
    func night() throws {
        let installation = try Installation.forTests()
        let files = try TemporaryDirectory()
        let list: [String: Any] = [
            "CFBundleIdentifier": "org.example.app", "UIBackgroundModes": ["fetch"],
            "BGTaskSchedulerPermittedIdentifiers": ["org.example.app.refresh"],
        ]
        try files.write(
            Array(
                try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            ),
            to: "Info.plist")
        defer { FakeClock.forgetEnded() }
        let run = try ChildProcess.run(
            "python3",
            [
                "-B", BuiltProducts.packageRoot + "/Tests/EmbeddingTests/evening.py",
                installation.prefix,
                BuiltProducts.packageRoot + "/.build/test-plugins/violations/crashes",
                BuiltProducts.path(ofProduct: "app-harness"), files.path, Self.fakeTime ?? "",
            ], directory: files.path, limit: .seconds(120))
        try #require(run.succeeded, "\(run)")
        #expect(
            run.output == """
                evening: 1 pending, 2 pending, 3 pending
                apps: org.example.app  due …, for org.example.app.refresh
                morning
                ok
                1 org.curfew.command pending succeeded 4
                2 org.curfew.command finished succeeded 1
                3 org.curfew.violation.crashes finished crashed 1
                4 org.curfew.command finished succeeded 1
                shell: ['from the shell']
                crash: crashed: its process ended by SIGABRT in its function
                tidy: ['succeeded', 'succeeded', 'succeeded', 'succeeded']
                schedules: [('tidy', 'pending')]
                app: org.example.app.refresh for org.example.app.refresh, background
                log: 7 launches
                ended 0

                """)
    }
}
