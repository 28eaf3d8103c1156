// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// What `curfew conform --json` found out about one plugin.
struct ConformRun {
    struct Case: Decodable {
        let name: String
        let status: String
        let text: String
        let notes: [String]
    }

    private struct Plugin: Decodable {
        let cases: [Case]
    }

    private struct Report: Decodable {
        let plugins: [Plugin]
    }

    let process: ChildProcess
    let cases: [Case]

    /// - Parameter options: besides `--json`.
    init(_ directory: String, _ options: String...) throws {
        process = try ChildProcess.run(
            BuiltProducts.path(ofProduct: "curfew"), ["conform", directory, "--json"] + options,
            limit: .seconds(300))
        let report = try JSONDecoder().decode(Report.self, from: Data(process.outputBytes))
        cases = report.plugins.flatMap(\.cases)
    }

    /// Those of these statuses, as `name: text`.
    func told(_ statuses: String...) -> [String] {
        cases.filter { statuses.contains($0.status) }
            .map { "\($0.name) \($0.status): \($0.text)" }
    }

    /// Those that did not pass and were not skipped.
    var broken: [String] { told("fail", "crash", "timeout", "leak", "warn") }
}
