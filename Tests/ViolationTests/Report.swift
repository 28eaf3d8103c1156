// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// What the harness printed, and how its process ended.
struct Report: Sendable {
    let lines: [ReportLine]
    let process: ChildProcess

    init(_ process: ChildProcess) throws {
        self.process = process
        let decoder = JSONDecoder()
        lines = try process.output.split(separator: "\n").map {
            try decoder.decode(ReportLine.self, from: Data($0.utf8))
        }
    }

    func all(_ kind: String) -> [ReportLine] { lines.filter { $0.kind == kind } }

    func notes(_ what: String) -> [Int] {
        all("note").filter { $0.what == what }.compactMap(\.value)
    }

    /// The parameters of an event, each time it was delivered.
    func values(of selector: String) -> [String] {
        all("event").filter { $0.selector == selector }.compactMap(\.values)
    }

    /// The whole log, for the message of a failed expectation.
    var logged: String { all("log").compactMap(\.text).joined(separator: "\n") }

    /// The lines of the host's log of at least that level about a plugin.
    func log(of plugin: String, level: Int) -> [ReportLine] {
        all("log").filter { $0.plugin == plugin && ($0.level ?? 0) >= level }
    }

    /// Runs a form of a violation in a process group of its own, which is killed at the end.
    ///
    /// Where the plugin has a process, the state of the host's process is printed first and last, and what
    /// is left of a host that was destroyed.
    static func run(_ form: ViolationForm) throws -> Report {
        let (violation, run) = (form.violation, form.run)
        let places = try Places(violation)
        var script = run.script
        if form.isInProcess { script = ["state"] + script + ["state"] }
        if form.isInProcess, run.destroy != nil { script.append("left") }
        let steps = script.map { step in
            let words = step.replacingOccurrences(of: "@", with: violation.identifier)
                .split(separator: " ").map(String.init)
            guard words.count == 2, words[0].hasPrefix("load") else {
                return words.joined(separator: " ")
            }
            return "\(words[0]) \(places.directory(of: words[1]))"
        }
        var environment = ProcessInfo.processInfo.environment
        environment["CURFEW_MISDEED_FORM"] = run.form
        if form.isInProcess {
            // The good plugin is in a thread, which the violation must not reach; where the process is
            // what the violation is about, it has one, too.
            environment["CURFEW_MISDEED_PROCESSES"] =
                violation.identifier + (violation.isForProcesses ? " org.curfew.test.good" : "")
            environment["TMPDIR"] = places.made.path
            environment["XDG_CACHE_HOME"] = places.made.path
        }
        environment["SWIFT_BACKTRACE"] = "enable=no"
        // A sanitizer leaves signals to the process, which is to end as it would without one.
        let leaving = "handle_segv=0:handle_sigill=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0"
        for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            environment[name] = (environment[name].map { $0 + ":" } ?? "") + leaving
        }
        // ThreadSanitizer does not see the lock in Swift's Mutex, which plugins in Swift use; what
        // it then says goes to standard error, and counts in the runs of those in C only.
        if violation.language == .swift { environment["TSAN_OPTIONS"]? += ":exitcode=0" }
        return try Report(
            ChildProcess.run(
                BuiltProducts.path(ofProduct: "violation-harness"), steps, environment: environment,
                limit: .seconds(90)))
    }
}
