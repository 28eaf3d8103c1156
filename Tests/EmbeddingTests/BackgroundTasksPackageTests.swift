// SPDX-License-Identifier: Apache-2.0
import Foundation
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
