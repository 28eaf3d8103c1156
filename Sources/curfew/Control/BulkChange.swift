// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Runner
import Scheduling
import Service

/// A change of many requests: of those that are named, or of those that a filter finds.
struct BulkChange {
    private enum Targets {
        case named([RequestID])
        case found(ListCommand.Query)
    }

    private let action: RequestAction
    private let targets: Targets

    /// The most requests of one call.
    private static let limit = 1_000
    private static let keys = ["state", "view", "identifier", "text", "schedule", "host"]

    /// - Parameter body: `{"ids": […]}`, or `{"filter": {…}}` with the members of the query of a list.
    init(_ action: RequestAction, _ body: [UInt8]) throws(HTTPFault) {
        self.action = action
        let value = try SubmissionBody.value(of: body)
        guard case .object(let members) = value.kind, members.count == 1 else {
            throw Self.refused("the body has to be {\"ids\": […]} or {\"filter\": {…}}")
        }
        switch (members[0].key, members[0].value.kind) {
        case ("ids", .array(let values)): targets = .named(try Self.ids(values))
        case ("filter", .object(let members)): targets = .found(try Self.filter(members))
        default: throw Self.refused("the body has to be {\"ids\": […]} or {\"filter\": {…}}")
        }
    }

    private static func ids(_ values: [JSONValue]) throws(HTTPFault) -> [RequestID] {
        guard (1...limit).contains(values.count) else {
            throw refused("`ids` has from 1 to \(limit) numbers, not \(values.count)")
        }
        var ids: [RequestID] = []
        for value in values {
            guard case .number(let number) = value.kind, let integer = number.integer, integer > 0
            else { throw refused("`ids` has the numbers of requests, from 1 on") }
            ids.append(RequestID(rawValue: UInt64(integer)))
        }
        return ids
    }

    private static func filter(_ members: [JSONMember]) throws(HTTPFault) -> ListCommand.Query {
        // All requests are not what an empty filter means.
        guard !members.isEmpty else { throw refused("`filter` is empty") }
        var texts: [String: String] = [:]
        for member in members {
            guard keys.contains(member.key) else {
                throw HTTPFault(
                    422, "refused",
                    "`filter` has no member `\(Shown.fitted(Shown.line(member.key), 64))`",
                    help: ["it has \(keys.joined(separator: ", "))"])
            }
            switch member.value.kind {
            case .string(let text): texts[member.key] = text
            case .number(let number) where member.key == "host": texts["host"] = number.literal
            default: throw refused("`\(member.key)` has to be text, not \(member.value.noun)")
            }
            // It would match all.
            if texts[member.key] == "" { throw refused("`\(member.key)` is empty") }
        }
        guard [nil, "live", "history"].contains(texts["view"]) else {
            throw refused("`view` is live or history")
        }
        do throws(CommandError) {
            var query = try ListCommand.Query(
                states: texts["state"], view: texts["view"], identifier: texts["identifier"],
                text: texts["text"], limit: limit)
            query.schedule = texts["schedule"]
            if let host = texts["host"] {
                guard let number = Int64(host), number > 0 else {
                    throw CommandError(.usage, "`host` has to be the number of a host")
                }
                query.host = number
            }
            return query
        } catch {
            throw refused(error.message)
        }
    }

    private static func refused(_ message: String) -> HTTPFault {
        HTTPFault(422, "refused", message)
    }

    /// Changes the requests in one transaction, the first `limit` of those that a filter finds.
    func perform(
        _ host: Host, _ store: StoreClient, _ caller: ControlCaller
    ) throws(CommandError) -> JSONItem {
        let (requests, more) = try StorePlace.translated { () throws(StoreFault) in
            let presence = try store.host()
            return try store.read { (transaction) throws(StoreFault) in
                try find(in: transaction, isAlone: presence == nil)
            }
        }
        var refused: [JSONItem] = []
        var permitted: [RequestID] = []
        for (id, request) in requests {
            if action != .cancel, let request, let fault = caller.refusal(launching: request) {
                refused.append(Self.item(id, fault))
            } else {
                permitted.append(id)
            }
        }
        let failures =
            permitted.isEmpty
            ? []
            : try ControlRoutes.asked(host) { (host) throws(CurfewError) in
                try host.change(permitted, action, by: caller.requester)
            }
        var done = 0
        for (id, failure) in zip(permitted, failures) {
            guard let failure else {
                done += 1
                continue
            }
            let error = CommandError(ControlRoutes.code(failure.code), failure.message)
            refused.append(Self.item(id, HTTPFault(error)))
        }
        return .object([
            ("done", .integer(Int64(done))), ("refused", .list(refused)), ("more", .bool(more)),
        ])
    }

    private func find(
        in store: any StoreTransaction, isAlone: Bool
    ) throws(StoreFault) -> (requests: [(RequestID, Request?)], more: Bool) {
        switch targets {
        case .named(let ids):
            var requests: [(RequestID, Request?)] = []
            for id in ids { requests.append((id, try store.request(id))) }
            return (requests, false)
        case .found(let query):
            let found = try query.overview(in: store, isAlone: isAlone, among: action.states)
            return (found.requests.map { ($0.id, $0) }, found.count > found.requests.count)
        }
    }

    private static func item(_ id: RequestID, _ fault: HTTPFault) -> JSONItem {
        .object([
            ("id", RequestItem.id(id)), ("code", .text(fault.code)),
            ("message", .text(fault.message)),
        ])
    }
}
