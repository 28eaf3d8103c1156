// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Service

/// The JSON of `PUT /v1/factors/{name}`: what a factor of the machine is by hand.
struct FactorBody {
    let state: FactorState
    /// The length of the override in nanoseconds; nil: it has no end.
    let span: UInt64?
    private let detail: String?

    /// The longest text about it.
    private static let detailLimit = 200
    /// The longest time.
    static let longest: UInt64 = 31_622_400_000_000_000

    init(_ body: [UInt8]) throws(HTTPFault) {
        let members = try ControlBody(body, ["state", "detail", "for"])
        let states = FactorState.allCases.map { (name: $0.name, word: $0) }
        guard let state = try members.word("state", states) else {
            throw HTTPFault(
                422, "refused", "the body has no `state`",
                help: ["write one of \(states.map(\.name).joined(separator: ", "))"])
        }
        self.state = state
        detail = members["detail"]
        do throws(CommandError) {
            span = try members["for"].map { (text) throws(CommandError) in
                try SpanArgument.value(text, for: "for", range: 1...Self.longest)
            }
        } catch {
            throw HTTPFault(422, "refused", error.message, help: error.help)
        }
    }

    /// - Parameter now: nanoseconds since 1970 in UTC.
    func reading(at now: Int64) -> FactorReading {
        let said = detail.map { Shown.fitted(Shown.line($0), Self.detailLimit) } ?? "set by hand"
        let end = span.map { ", until \(DateText.full(now &+ Int64(clamping: $0)))" } ?? ""
        return FactorReading(state, source: FactorReading.byHand, detail: said + end)
    }
}
