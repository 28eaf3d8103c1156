// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import TestSupport

/// A run of the built `curfew conform`, and its report.
struct ConformRun {
    let process: ChildProcess
    let report: Report

    /// The members of the JSON document that tests look at.
    struct Report: Decodable {
        let ok: Bool
        let plugins: [Plugin]

        struct Plugin: Decodable {
            let path: String
            let tally: [String: Int]
            let cases: [Result]
        }

        struct Result: Decodable {
            let name: String
            let isolation: String?
            let status: String
            let text: String
            let notes: [String]
            let seconds: Double
        }
    }

    /// The one that was built for the tests, or the one that is installed: that one has its libraries inside,
    /// and a plugin's are not those of the program.
    static let program =
        ProcessInfo.processInfo.environment["CURFEW_CONFORM_PROGRAM"]
        ?? BuiltProducts.path(ofProduct: "curfew")
    /// Nothing of the environment of the tests, but where programs are.
    static let environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LANG": "C.UTF-8",
        "SWIFT_BACKTRACE": "enable=no",
    ]

    /// The plugin's code runs in a thread where the options do not say another place.
    init(
        _ plugins: [String], _ options: [String], environment: [String: String] = [:],
        limit: Duration = .seconds(300)
    ) throws {
        let place = options.contains("--isolation") ? [] : ["--isolation", "thread"]
        process = try ChildProcess.run(
            Self.program, ["conform"] + plugins + options + place + ["--json", "--seed", "7"],
            environment: Self.environment.merging(environment) { $1 }, limit: limit)
        do {
            report = try JSONDecoder().decode(Report.self, from: Data(process.outputBytes))
        } catch {
            throw TwinError("there is no report: \(process)")
        }
    }

    init(
        _ plugin: String, only cases: String..., environment: [String: String] = [:],
        limit: Duration = .seconds(300)
    ) throws {
        try self.init(
            [plugin], cases.flatMap { ["--only", $0] }, environment: environment, limit: limit)
    }

    var code: Int32? {
        if case .exited(let code) = process.ending { code } else { nil }
    }

    /// What came of each case of the first plugin.
    var cases: [Report.Result] { report.plugins.first?.cases ?? [] }

    /// Those with the plugin in a thread or in a process.
    func results(in isolation: String) -> [Report.Result] {
        cases.filter { $0.isolation == isolation }
    }

    func status(_ name: String) -> String? { cases.first { $0.name == name }?.status }

    func text(_ name: String) -> String? { cases.first { $0.name == name }?.text }

    /// Names and texts of those with a status.
    func all(_ status: CaseStatus) -> [String] {
        cases.filter { $0.status == status.rawValue }.map(\.name)
    }

    /// Everything but passes and skips, a line each.
    var remarks: String {
        cases.filter { !["pass", "skip"].contains($0.status) }
            .map { "\($0.name): \($0.status): \($0.text)" }.joined(separator: "\n")
    }

    /// Those of these statuses, as `name status: text`.
    func told(_ statuses: CaseStatus...) -> [String] {
        cases.filter { each in statuses.contains { $0.rawValue == each.status } }
            .map { "\($0.name) \($0.status): \($0.text)" }
    }

    /// Those that did not pass and were not skipped.
    var broken: [String] { told(.fail, .crash, .timeout, .leak, .warn) }
}
