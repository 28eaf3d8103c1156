// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite(
    "A million requests that wait", .timeLimit(.minutes(30)),
    .enabled(if: Torture.isWanted, Torture.reason))
struct CrowdTests {
    /// Copies the one request of a store a million times, each due in an hour and a little, or now.
    private func fill(_ store: String, _ count: Int) throws {
        let database = store + "/requests.db"
        let columns = try ChildProcess.run(
            "sqlite3", [database, "SELECT name FROM pragma_table_info('request')"]
        ).output.split(separator: "\n").map(String.init).filter { $0 != "id" }
        let values = columns.map { name in
            switch name {
            case "key": "'m.' || i"
            case "not_before": "not_before + i * 1000000"
            default: name
            }
        }
        let filled = try ChildProcess.run(
            "sqlite3",
            [
                database,
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO request (\(columns.joined(separator: ", ")))
                SELECT \(values.joined(separator: ", ")) FROM request, n WHERE request.id = 1;
                UPDATE journal SET last_request = (SELECT max(id) FROM request),
                    app_refresh = (SELECT count(*) FROM request WHERE kind = 1),
                    processing = (SELECT count(*) FROM request WHERE kind = 2)
                """,
            ], limit: .seconds(600))
        try #require(filled.succeeded, "\(filled)")
    }

    private func memory(_ harness: RunningHarness) throws -> Int {
        harness.order("memory")
        return Int(try harness.wait(for: "memory")[1]) ?? 0
    }

    @Test("cost no memory, and neither a submission nor a launch takes longer for them")
    func million() throws {
        var peaks: [Int] = []
        var slow: [Int] = []
        for count in [0, 1_000_000] {
            let trial = try StoreTrial()
            let maker = try trial.start("serve")
            try maker.wait(for: "ready")
            maker.order("submit later m.0.0.later")
            try maker.wait(for: "did")
            maker.order("stop")
            #expect(trial.finish(maker) == .exited(0))
            if count > 0 { try fill(trial.store, count) }

            let harness = try trial.start("serve")
            try harness.wait(for: "ready")
            harness.order("time 1000")
            let times = try harness.wait(for: "timed")
            // The last ones: first in, first out, with four places.
            for number in 990..<1_000 { try harness.waitForEnd(of: "timed.\(number)") }
            peaks.append(try memory(harness))
            harness.order("stop")
            #expect(trial.finish(harness) == .exited(0))
            let start = try #require(harness.startUp)
            Torture.tell(
                "\(count) requests wait: start-up \(start.milliseconds), at most \(peaks.last ?? 0) KiB of memory, a submission takes \(times[0]) ns in the middle, \(times[1]) ns at the 99th of 100, \(times[2]) ns at most, while a thousand are launched"
            )
            #expect(start < .seconds(2))
            slow.append(Int(times[1]) ?? .max)
        }
        // Builds without optimization take longer than 10 ms now and then, with or without a crowd.
        #expect(slow[1] < max(10_000_000, 3 * slow[0]), "\(slow)")
        // The cache of a database, and what SQLite needs to look through it.
        #expect(peaks[1] - peaks[0] < 32_768, "\(peaks)")
    }
}
