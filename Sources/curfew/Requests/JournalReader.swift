// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// Reads a store's journal, from some place on, and waits for more.
final class JournalReader {
    private let store: StoreClient
    /// Empty for all.
    private let requests: Set<RequestID>
    private let lines: JournalLines
    /// The number of the last entry that was read, of any request.
    private var position: UInt64 = 0

    private static var page: Int { 1_000 }

    /// - Parameter requests: those whose entries are printed; empty for all.
    init(_ store: StoreClient, of requests: Set<RequestID>, _ lines: JournalLines) {
        self.store = store
        self.requests = requests
        self.lines = lines
    }

    /// Prints the entries after a number, up to the limit.
    func show(after: UInt64, limit: Int) throws(CommandError) {
        position = after
        lines.begin(after: after, tellsGaps: requests.isEmpty)
        var left = limit
        while left > 0, lines.isWanted {
            let entries = try entries(after: position)
            for entry in entries.filter(isWanted).prefix(left) {
                lines.show(entry)
                left -= 1
            }
            position = entries.last?.sequence ?? position
            if entries.count < Self.page { return }
        }
    }

    /// Shows the last ones.
    func showLast(_ limit: Int) throws(CommandError) {
        var kept: [JournalEntry] = []
        while true {
            let entries = try entries(after: position)
            kept += entries.filter(isWanted)
            if kept.count > limit { kept.removeFirst(kept.count - limit) }
            position = entries.last?.sequence ?? position
            if entries.count < Self.page { break }
        }
        lines.begin(after: kept.first.map { $0.sequence - 1 }, tellsGaps: requests.isEmpty)
        for entry in kept { lines.show(entry) }
    }

    /// Prints new entries until a signal arrives or the reader is gone.
    func follow(_ console: Console) throws(CommandError) {
        let stop = try StopSignals()
        let changes = try StoreChanges(store, stop: stop.descriptor, console)
        repeat {
            let shown: Void? = try changes.reading { () throws(CommandError) in
                try show(after: position, limit: .max)
            }
            guard shown != nil, lines.isWanted else { return }
        } while try changes.next() == .changed
    }

    private func isWanted(_ entry: JournalEntry) -> Bool {
        requests.isEmpty || entry.request.map(requests.contains) == true
    }

    /// Returns a page of entries, among them all that are wanted.
    private func entries(after sequence: UInt64) throws(CommandError) -> [JournalEntry] {
        try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try transaction.journal(
                    after: sequence, of: requests.count == 1 ? requests.first : nil,
                    limit: Self.page)
            }
        }
    }
}
