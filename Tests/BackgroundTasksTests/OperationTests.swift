// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("Work in operations, and without")
struct OperationTests {
    private func lines(_ scenario: String) throws -> [String] {
        let run = try App().run(scenario)
        #expect(run.process.succeeded, "\(run.process)")
        return run.said
    }

    @Test(
        "S4.4, S4.5, S4.7, S4.8: operations run one at a time, in the order of what they depend on, after the handler has returned"
    )
    func chain() throws {
        let lines = try lines("operations")
        #expect(
            lines.filter { $0 != "the handler returns" } == [
                "store", "parse", "fetch", "succeeded",
            ])
        #expect(lines.contains("the handler returns"))
    }

    @Test("S4.4, S4.5: expiration cancels them all, and the last one says that it was")
    func expired() throws {
        #expect(try lines("operations-expired") == ["expired"])
    }

    @Test("S4.6: a task that is completed before its work is over is over; what goes on has none")
    func completedEarly() throws {
        #expect(try lines("completed-early") == ["succeeded", "the work goes on"])
    }

    @Test("S4.9: an operation of one's own says when it is executing and when it is finished")
    func asynchronous() throws {
        #expect(
            try lines("async-operation") == [
                "executing true, asynchronous true", "finished true, executing false", "succeeded",
            ])
    }

    @Test("S4.11: work with threads of its own needs no queue")
    func callback() throws {
        #expect(try lines("callback") == ["the handler returns", "succeeded"])
    }
}
