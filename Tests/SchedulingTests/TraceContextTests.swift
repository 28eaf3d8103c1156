// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

struct TraceContextTests {
    private static let usual = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("a value of traceparent is read and written as it was")
    func text() throws {
        let context = try #require(TraceContext(Self.usual))
        #expect(context.text == Self.usual)
        #expect(context.traceText == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanText == "00f067aa0ba902b7")
        #expect(context.flags == 1)
        let later = try #require(TraceContext("cc" + Self.usual.dropFirst(2) + "-what-comes"))
        #expect(later.text == Self.usual)
    }

    @Test(
        "what section 3.2 of the recommendation calls invalid is none",
        arguments: [
            "", "00", usual + "-more", usual + "0", "ff" + usual.dropFirst(2),
            usual.uppercased(), "0" + usual, " " + usual.dropLast(),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
            "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
            "cc" + usual.dropFirst(2) + "x",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-é",
        ])
    func faults(text: String) { #expect(TraceContext(text) == nil) }

    private static func request(_ id: UInt64, at date: Int64, _ trace: String? = nil) -> Request {
        var description = RequestDescription("org.example.a")
        description.trace = trace.flatMap { TraceContext($0) }
        var request = Request(description, payloadBytes: 0, at: date, notBefore: 0)
        request.id = RequestID(rawValue: id)
        return request
    }

    @Test("launches go on with the trace of their request, each with a span of its own")
    func given() {
        let request = Self.request(7, at: 1, Self.usual)
        let places = (1...100).map { request.trace(ofLaunch: $0, attempt: 1) }
        #expect(Set(places.map(\.traceText)) == ["4bf92f3577b34da6a3ce929d0e0e4736"])
        #expect(Set(places.map(\.span)).count == 100)
        #expect(!places.map(\.spanText).contains("00f067aa0ba902b7"))
        #expect(request.trace(ofLaunch: 3, attempt: 3) == places[2])
        let unrecorded = Self.request(7, at: 1, String(Self.usual.dropLast()) + "0")
        #expect(unrecorded.trace(ofLaunch: 1, attempt: 1).flags == 0)
    }

    @Test(
        "without one, the attempts for one date are a trace, and no two dates or requests share one"
    )
    func own() {
        let request = Self.request(7, at: 1)
        let first = request.trace(ofLaunch: 4, attempt: 1)
        let second = request.trace(ofLaunch: 5, attempt: 2)
        let other = request.trace(ofLaunch: 6, attempt: 1)
        #expect(first.traceText == second.traceText)
        #expect(first.span != second.span)
        #expect(first.traceText != other.traceText)
        let all = (1...1_000 as ClosedRange<UInt64>).flatMap { id in
            (1...3 as ClosedRange<UInt64>).map {
                Self.request(id, at: 1).trace(ofLaunch: $0, attempt: 1)
            }
        }
        #expect(Set(all.map(\.traceText)).count == 3_000)
        #expect(Set(all.map(\.spanText)).count == 3_000)
        #expect(all.allSatisfy { TraceContext($0.text) == $0 })
    }
}
