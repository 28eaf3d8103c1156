// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Apple's rules for requests")
struct SubmissionTests {
    @Test("S1.16: a permitted identifier without a handler ends the process with Apple's text")
    func unregistered() throws {
        let run = try App().run("submit-unregistered")
        #expect(run.process.ending == .signalled(6))
        #expect(
            run.process.errorOutput.contains(
                "'No launch handler registered for task with identifier org.example.app.refresh'"))
        let thrown = try App().run("submit-unregistered-thrown")
        #expect(
            thrown.lines == [
                "thrown: No launch handler registered for task with identifier org.example.app.refresh"
            ])
    }

    @Test(
        "S1.16, S1.23, S4.13: an identifier that is not permitted is error 3, and says where it is missing"
    )
    func unknown() throws {
        let run = try App().run("submit-unknown")
        #expect(
            run.lines == [
                "error 3: Unrecognized Identifier: org.example.app.unknown is not in BGTaskSchedulerPermittedIdentifiers (\(run.plist)); nothing was submitted",
                "caught by its pattern",
            ])
    }

    @Test(
        "S0.1: fetch is for refreshing, processing for processing",
        arguments: [
            (["fetch", "processing"], [true, true]), (["fetch"], [true, false]),
            (["processing"], [false, true]), ([], [false, false]),
        ])
    func modes(_ modes: [String], _ taken: [Bool]) throws {
        let lines = try App(modes: modes).run("modes").lines
        #expect(lines.map { $0.hasPrefix("submitted") } == taken, "\(lines)")
        for (line, mode) in zip(lines, ["fetch", "processing"]) where !line.hasPrefix("submitted") {
            #expect(line.hasPrefix("error 3: UIBackgroundModes lacks '\(mode)'"), "\(line)")
        }
    }

    @Test("one refresh and ten processing requests are pending, and no more: error 2")
    func limits() throws {
        let run = try App(permitted: (1...11).map { "org.example.app.many\($0)" }).run("limits")
        #expect(run.lines.filter { $0.hasPrefix("submitted") }.count == 11)
        #expect(run.lines[10].hasPrefix("error 2: org.example.app.many11: the limit of 10 pending"))
        #expect(run.lines[12].hasPrefix("error 2: org.example.app.cleanup: the limit of 1 pending"))
        #expect(run.lines.last == "pending: ")
    }

    @Test(
        "S0.6: a request takes the place of a pending one; cancelling nothing is no error; what is pending is a copy"
    )
    func replaced() throws {
        let (refresh, cleanup) = (
            "BGAppRefreshTaskRequest org.example.app.refresh later",
            "BGProcessingTaskRequest org.example.app.cleanup later"
        )
        let run = try App().run("replace")
        #expect(
            run.lines == [
                "submitted org.example.app.refresh", "submitted org.example.app.cleanup",
                "pending: \(refresh), \(cleanup)", "submitted org.example.app.refresh",
                "pending: \(cleanup), \(refresh)", "pending: \(cleanup)",
            ])
        #expect(run.log.isEmpty)
    }

    @Test("a pending request says all that it was submitted with")
    func roundTrip() throws {
        let run = try App().run("round-trip")
        #expect(
            run.lines.suffix(2) == [
                "research: network true, power false, date kept: true",
                "continued: Exporting, 7 films, queue, true",
            ], "\(run.lines)")
    }

    @Test("S1.5: with refreshing turned off a refresh is error 1, and processing is taken in")
    func refreshOff() throws {
        let lines = try App().run("refresh-off").lines
        #expect(
            lines.first?.hasPrefix("error 1: refreshing in the background is turned off") == true)
        #expect(lines.last == "submitted org.example.app.cleanup")
    }

    @Test("submitted without waiting, errors arrive where they are asked for")
    func asynchronous() throws {
        #expect(
            try App().run("asynchronous").lines == [
                "submitted", "code 3 of BGTaskSchedulerErrorDomain", "told: true",
            ])
    }

    @Test("a second process of the app is told who has the requests, and harms nothing")
    func secondInstance() throws {
        let run = try App().run("second-instance")
        #expect(
            run.lines[1].hasPrefix("error 1: org.example.app.refresh: the store"), "\(run.lines)")
        #expect(run.lines[1].contains("is used by the host with process number"))
        #expect(run.lines.last == "pending: BGAppRefreshTaskRequest org.example.app.refresh later")
    }

    @Test("an identifier of one component is taken as it is, and is below the bundle's in the host")
    func oneComponent() throws {
        let run = try App(permitted: ["TIDY_UP"]).run("one-component")
        #expect(
            run.lines == [
                "submitted TIDY_UP", "pending: BGProcessingTaskRequest TIDY_UP later",
                "launched TIDY_UP",
            ])
        #expect(
            run.log.contains(
                "Simulating launch for task with identifier org.example.app.TIDY_UP"))
    }

    @Test("without a place for requests each is error 1, which says where and what to do")
    func noPlace() throws {
        let run = try App().run("modes", state: "/proc/nowhere")
        #expect(run.process.succeeded)
        for line in run.lines {
            #expect(line.hasPrefix("error 1: org.example.app."))
            #expect(line.contains("/proc/nowhere/org.example.app"))
            #expect(line.contains("set XDG_STATE_HOME to a directory of this user's"))
        }
    }

    @Test(
        "a bundle identifier that would lead out of the state directory is not used",
        arguments: ["../../elsewhere", "", ".hidden", "a/b", String(repeating: "x", count: 200)])
    func hostileBundle(_ bundle: String) throws {
        let app = try App(bundle: bundle)
        let run = try app.run("modes")
        #expect(run.lines.count == 2)
        #expect(run.lines.allSatisfy { $0.hasPrefix("submitted") }, "\(run.process)")
        let made = try FileManager.default.contentsOfDirectory(atPath: run.state)
        #expect(made == ["app-harness"])
    }

    @Test("what is overdue is launched after its handler was registered at the next start")
    func nextStart() throws {
        let app = try App()
        let pending = "pending: BGAppRefreshTaskRequest org.example.app.refresh later"
        #expect(try app.run("first-start").lines.last == pending)
        #expect(
            try app.run("next-start").lines == [
                pending, "overdue", "launched <BGAppRefreshTask: org.example.app.refresh>",
            ])
    }
}
