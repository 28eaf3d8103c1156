// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Somebody else's package says `import BackgroundTasks`, and depends on this one plainly.
@Suite("A package that was written for iOS")
struct BackgroundTasksPackageTests {
    private static let isWanted =
        ProcessInfo.processInfo.environment["CURFEW_CONFORM_MATRIX"] == "1"
    private static let reason: Comment =
        "takes minutes: CURFEW_CONFORM_MATRIX=1, as in make test-all"

    @Test("is built in debug, and its task is launched, expires, and is asked for again")
    func debug() throws {
        try launchAndExpire("debug")
    }

    @Test("is built in release, and does the same", .enabled(if: isWanted, reason))
    func release() throws {
        try launchAndExpire("release")
    }

    @Test(
        "code that says import UIKit is built with the nested package of that name",
        .enabled(if: isWanted, reason))
    func uikit() throws {
        let place = try TemporaryDirectory()
        try place.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "upload",
                dependencies: [.package(path: "\(BuiltProducts.packageRoot)/Sources/UIKit")],
                targets: [
                    .executableTarget(
                        name: "upload", dependencies: [.product(name: "UIKit", package: "UIKit")])
                ])
            """, to: "upload/Package.swift")
        try place.write(
            """
            #if canImport(UIKit)
            import UIKit
            #endif
            let task = UIApplication.shared.beginBackgroundTask(withName: "upload")
            print(task == .invalid, UIDevice.current.isMultitaskingSupported)
            UIApplication.shared.endBackgroundTask(task)
            """, to: "upload/Sources/upload/main.swift")
        let environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("CURFEW_") && !$0.key.hasPrefix("XDG_")
        }.merging(["HOME": place.path("home")]) { $1 }
        let said = try Installation.output(
            "swift",
            [
                "run", "--package-path", place.path("upload"), "--scratch-path",
                BuiltProducts.packageRoot + "/.build/uikit",
            ], environment: environment, limit: .seconds(900))
        #expect(said.hasSuffix("false true\n"), "\(said)")
    }

    private func launchAndExpire(_ configuration: String) throws {
        let errand = try ErrandPackage()
        let built = try errand.build(configuration)
        #expect(!built.contains("warning:"), "\(built)")

        let began = Date()
        let lines = try errand.run("try")
        let steps = [
            "scheduled", "Starting simulated task: <BGAppRefreshTask: \(ErrandPackage.identifier)>",
            "scheduled", "page 2", "expired", "done: false",
        ]
        var rest = lines[...]
        for step in steps {
            let found = try #require(rest.firstIndex(of: step), "\(step): \(lines)")
            rest = rest[(found + 1)...]
        }
        #expect(!lines.contains("page 20"))

        let why = try errand.why(try Installation.forTests())
        #expect(why["identifier"] as? String == ErrandPackage.identifier)
        #expect(why["state"] as? String == "pending")
        #expect(why["held"] as? Bool == true)
        let factors = try #require(why["factors"] as? [[String: Any]])
        let date = try #require(factors.first { $0["factor"] as? String == "date" })
        #expect(date["holds"] as? Bool == true)
        // It asked for a quarter of an hour.
        let until = try #require(date["until"] as? String)
        let begin = try Date(
            until, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        #expect(begin > began.addingTimeInterval(14 * 60), "\(until)")
        #expect(begin < Date().addingTimeInterval(16 * 60), "\(until)")
    }
}
