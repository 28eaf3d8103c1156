// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// The store's data about one request, without its payload, at one moment.
struct RequestRecord {
    let request: Request
    /// The last ones, the oldest first.
    let attempts: [Attempt]
    let journal: [JournalEntry]
    /// Older entries that are not among them.
    let isCut: Bool
    /// The host in which it runs; nil if it does not run, or one host at a time may use the store.
    let runner: HostRecord?
    /// The program of the request, if it has one in place of a handler of its own.
    let program: CommandPayload?

    private static var limit: Int { 100 }

    /// Fails if the store has no such request.
    init?(_ id: RequestID, _ store: StoreClient) throws(CommandError) {
        let found = try StorePlace.translated { () throws(StoreFault) in
            try store.read {
                (transaction) throws(StoreFault)
                    -> (Request, [Attempt], [JournalEntry], Bool, [UInt8]?, HostRecord?)? in
                guard let request = try transaction.request(id) else { return nil }
                let (entries, isCut) = try Self.journal(of: id, limit: Self.limit, transaction)
                let isProgram = request.description.identifier == CommandPayload.identifier
                let attempts = try transaction.attempts(of: id, limit: Self.limit)
                return (
                    request, attempts, entries, isCut,
                    isProgram ? try transaction.payload(of: id) : nil,
                    request.state == .running
                        ? try transaction.hosts().first {
                            $0.lease > 0 && $0.identity == attempts.last?.host
                        } : nil
                )
            }
        }
        guard let found else { return nil }
        (request, attempts, journal, isCut) = (found.0, found.1, found.2, found.3)
        program = found.4.flatMap { CommandPayload($0) }
        runner = found.5
    }

    /// Returns the last entries of a request, the oldest first, and whether there are others before: a request that is
    /// repeated may have thousands.
    static func journal(
        of id: RequestID, limit: Int, _ store: any StoreTransaction
    ) throws(StoreFault) -> ([JournalEntry], Bool) {
        var entries: [JournalEntry] = []
        var isCut = false
        while true {
            let page = try store.journal(
                after: entries.last?.sequence ?? 0, of: id, limit: 1_000)
            entries += page
            if entries.count > limit {
                entries.removeFirst(entries.count - limit)
                isCut = true
            }
            if page.count < 1_000 { return (entries, isCut) }
        }
    }

    /// - Parameter isAlone: no host uses the store.
    func item(isAlone: Bool) -> JSONItem {
        .object(
            RequestItem.members(request, isAlone: isAlone) + [
                RequestItem.argv(program),
                ("runsIn", runner.map { .object(HostItem.identity($0)) } ?? .null),
                ("attemptList", .list(attempts.map(RequestItem.item))),
                ("journal", .list(journal.map(RequestItem.item))),
            ])
    }
}
