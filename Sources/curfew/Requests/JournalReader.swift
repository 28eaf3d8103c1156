// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// Reads a store's journal, from some place on, and waits for more.
final class JournalReader {
    private let store: StoreClient
    private let request: RequestID?
    private let lines: JournalLines
    /// The number of the last entry that was read, of any request.
    private var position: UInt64 = 0

    private static var page: Int { 1_000 }

    init(_ store: StoreClient, of request: RequestID?, _ lines: JournalLines) {
        self.store = store
        self.request = request
        self.lines = lines
    }

    /// Prints the entries after a number, up to the limit.
    func show(after: UInt64, limit: Int) throws(CommandError) {
        position = after
        lines.begin(after: after, tellsGaps: request == nil)
        var left = limit
        while left > 0, lines.isWanted {
            let entries = try entries(after: position, limit: min(left, Self.page))
            for entry in entries { lines.show(entry) }
            position = entries.last?.sequence ?? position
            left -= entries.count
            if entries.count < Self.page { return }
        }
    }

    /// Shows the last ones.
    func showLast(_ limit: Int) throws(CommandError) {
        var kept: [JournalEntry] = []
        while true {
            let entries = try entries(after: position, limit: Self.page)
            kept += entries
            if kept.count > limit { kept.removeFirst(kept.count - limit) }
            position = entries.last?.sequence ?? position
            if entries.count < Self.page { break }
        }
        lines.begin(after: kept.first.map { $0.sequence - 1 }, tellsGaps: request == nil)
        for entry in kept { lines.show(entry) }
    }

    /// Prints new entries until a signal arrives or the reader is gone.
    func follow() throws(CommandError) {
        let stop = try StopSignals()
        let changes = try StoreChanges(
            store, stop: stop.descriptor, output: lines.descriptor)
        repeat {
            try show(after: position, limit: .max)
            guard lines.isWanted else { return }
        } while try changes.next() == .changed
    }

    private func entries(
        after sequence: UInt64, limit: Int
    ) throws(CommandError) -> [JournalEntry] {
        try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try transaction.journal(after: sequence, of: request, limit: limit)
            }
        }
    }
}
