// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Testing

/// Whoever looks for lost requests has to find one.
@Suite("The look at a history", .timeLimit(.minutes(1)))
struct HistoryCheckTests {
    private func faults(_ records: [Record]) throws -> [String] {
        let trial = try StoreTrial()
        try trial.run("drain", ["--name", "h", "--count", "8"])
        let store = try StoreContents(of: trial.store)
        #expect(HistoryCheck(trial.records, store).faults == [])
        return HistoryCheck(trial.records + records, store).faults
    }

    @Test(
        "finds what is lost, doubled or unexpected",
        arguments: [
            ("ack\th.9.9.quick\t7000\tqueued\t", "lost: h.9.9.quick"),
            ("ack\th.0.0.quick\t7000\tqueued\t", "doubled: h.0.0.quick"),
            ("run\tnobody.asked\t1", "unexpected: nobody.asked"),
            ("cancelled\th.0.0.quick", "h.0.0.quick was cancelled and is finished"),
            ("done\th.0.5.late\ttrue", "h.0.5.late was told to be done"),
            ("ack\th.0.1.quick\t\tqueued\t1", "request 1 was said to be replaced"),
        ])
    func finds(_ line: String, _ fault: String) throws {
        let faults = try faults([Record(line)])
        #expect(faults.contains { $0.hasPrefix(fault) }, "\(faults)")
    }
}
