// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Pauses of requests, whatever becomes of the clock of dates")
struct PauseTests {
    private let desk = RequestDesk()
    private let year = 365 * 86_400 * second

    private func snoozed(for span: Int64) throws -> RequestID {
        let id = try desk.add(RequestDescription("org.example.a", kind: .processing))
        try desk.run(id, AttemptEnd(.succeeded, snooze: UInt64(span)))
        return id
    }

    @Test("a clock that is set back changes the date and not the pause", arguments: [0, 1])
    func back(passed: Int64) throws {
        let id = try snoozed(for: 2 * second)
        desk.now += passed * second
        desk.setClock(by: -year / 400)
        try desk.shorten()
        #expect(try desk.request(id).notBefore == desk.now + (2 - passed) * second)
        desk.now += (2 - passed) * second
        #expect(try desk.launch(id) != nil)
        #expect(try desk.request(id).pause == nil)
    }

    @Test("a clock that is set forward does not end one")
    func forward() throws {
        let id = try desk.add(
            RequestDescription(
                "org.example.a", retry: RetryPolicy(attempts: 2, base: 3_600_000_000_000, jitter: 0)
            ))
        try desk.run(id, AttemptEnd(.failed))
        desk.now += 60 * second
        desk.setClock(by: year)
        #expect(try desk.launch(id) == nil)
        #expect(try desk.request(id).notBefore == desk.now + 3_540 * second)
        #expect(try desk.request(id).reason == .backOff)
        desk.now += 3_540 * second
        #expect(try desk.launch(id)?.number == 2)
    }

    @Test("after the machine was started anew the date counts, and no more than the whole pause")
    func otherBoot() throws {
        let id = try snoozed(for: 3_600 * second)
        let date = try desk.request(id).notBefore
        _ = try desk.crash(boot: "second")
        desk.now += 600 * second
        try desk.shorten()
        #expect(try desk.request(id).notBefore == date)
        desk.setClock(by: -86_400 * second)
        try desk.shorten()
        #expect(try desk.request(id).notBefore == desk.now + 3_600 * second)
        // From here on it is measured again.
        desk.setClock(by: 86_400 * second)
        #expect(try desk.launch(id) == nil)
        #expect(try desk.request(id).notBefore == desk.now + 3_600 * second)
        desk.now += 3_600 * second
        #expect(try desk.launch(id) != nil)
    }

    @Test("a date stays a date")
    func dates() throws {
        var description = RequestDescription("org.example.a")
        description.earliest = desk.now + 3_600 * second
        let id = try desk.add(description)
        desk.setClock(by: -86_400 * second)
        try desk.shorten()
        #expect(try desk.request(id).notBefore == description.earliest)
    }

    @Test("a note of the clock tells whether it was set back since")
    func note() throws {
        let note = ClockNote(boot: "a", moment: Moment(wall: year, span: 10))
        #expect(ClockNote(note.bytes) == note)
        #expect(ClockNote(Array("a 1".utf8)) == nil)
        let hour = 3_600 * second
        func moment(_ wall: Int64, _ span: Int64) -> Moment {
            Moment(wall: year + wall, span: 10 + UInt64(span))
        }
        #expect(!note.wasSetBack("a", at: moment(hour, hour)))
        #expect(note.wasSetBack("a", at: moment(hour - 2 * second, hour)))
        #expect(!note.wasSetBack("a", at: moment(hour + 2 * second, hour)))
        #expect(!note.wasSetBack("b", at: moment(1, hour)))
        #expect(note.wasSetBack("b", at: moment(-1, hour)))
    }
}
