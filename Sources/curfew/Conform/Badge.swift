// SPDX-License-Identifier: Apache-2.0
import Conformance

/// The results of the kit in one line, as a file that a badge is drawn from: the JSON of a shields.io
/// endpoint.
enum Badge {
    static func text(of reports: [ConformReport]) -> String {
        var tally = Tally()
        for result in reports.flatMap(\.results) { tally.add(result.verdict.status) }
        let isSound = reports.allSatisfy { $0.code == .ok }
        let level = reports.flatMap(\.results).map(\.tested.level).max() ?? 0
        var message = "level \(level), \(tally[.pass]) passed"
        if tally.failures > 0 { message += ", \(tally.failures) failed" }
        if tally[.warn] > 0 { message += ", \(tally[.warn]) warned" }
        let notRun = reports.reduce(0) { $0 + $1.notRun }
        if notRun > 0 { message += ", \(notRun) not run" }
        let colour = !isSound ? "red" : tally[.warn] > 0 ? "yellow" : "brightgreen"
        return JSONItem.object([
            ("schemaVersion", .integer(1)), ("label", .text("curfew conform")),
            ("message", .text(message)), ("color", .text(colour)), ("isError", .bool(!isSound)),
        ]).written + "\n"
    }
}
