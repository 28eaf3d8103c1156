// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling
import Service

/// Which ends of tasks a client asks for: the last ones of an identifier, or of all.
struct EndsQuery {
    private let identifier: String?
    private let limit: Int

    static let names = ["identifier", "limit"]
    /// The most requests of an identifier that are not over and are looked at.
    private static let liveLimit = 200

    init(_ query: ControlQuery) throws(HTTPFault) {
        identifier = query["identifier"]
        limit = Int(try query.number("limit", 1...100) ?? 100)
    }

    /// The newest first.
    ///
    /// - Parameter budget: that of a handler, in nanoseconds; nil if it has none here.
    func item(
        _ store: StoreClient, budget: (String) -> UInt64?
    ) throws(CommandError) -> JSONItem {
        let ends = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                let launches =
                    try identifier == nil
                    ? transaction.lastEndedLaunches(limit) : lastOfOne(transaction)
                var ends: [(launch: EndedLaunch, program: CommandPayload?)] = []
                for launch in launches.prefix(limit) {
                    let (id, name) = (launch.request.id, launch.request.description.identifier)
                    let program =
                        name == CommandPayload.identifier
                        ? CommandPayload(try transaction.payload(of: id)) : nil
                    ends.append((launch, program))
                }
                return ends
            }
        }
        return .object([
            (
                "ends",
                .list(
                    ends.map { end, program in
                        let name = end.request.description.identifier
                        return .object([
                            ("request", RequestItem.id(end.request.id)),
                            ("identifier", .text(name)),
                            ("launch", .integer(Int64(clamping: end.attempt.launch))),
                            ("at", DateText.item(end.end)),
                            ("outcome", .text(orNull: end.attempt.outcome?.name)),
                            ("duration", end.attempt.duration.map { .seconds($0) } ?? .null),
                            (
                                "budget",
                                (program?.budget ?? budget(name)).map { .seconds($0) } ?? .null
                            ),
                            (
                                "argv",
                                program.map { .list($0.arguments.map { .text($0) }) } ?? .null
                            ),
                        ])
                    })
            )
        ])
    }

    /// The last requests that are over have them, and those that are repeated.
    private func lastOfOne(_ store: any StoreTransaction) throws(StoreFault) -> [EndedLaunch] {
        let states = RequestState.allCases
        let over = RequestFilter(
            states: Set(states.filter { !$0.isLive }), identifier: identifier, limit: limit)
        let live = RequestFilter(
            states: Set(states.filter(\.isLive)), identifier: identifier, limit: Self.liveLimit)
        var ends: [EndedLaunch] = []
        for filter in [over, live] {
            for request in try store.overview(filter).requests where request.launches > 0 {
                for attempt in try store.attempts(of: request.id, limit: limit) {
                    guard let date = attempt.endedAt else { continue }
                    ends.append(EndedLaunch(request: request, attempt: attempt, end: date))
                }
            }
        }
        return ends.sorted { ($1.end, $1.request.id) < ($0.end, $0.request.id) }
    }
}
