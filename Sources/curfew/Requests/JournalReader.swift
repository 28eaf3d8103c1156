// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import Scheduling

/// Reads a store's journal, from some place on, and waits for more.
final class JournalReader {
    private let store: StoreClient
    private let request: RequestID?
    private let lines: JournalLines
    /// The number of the last entry that was read, of any request.
    private var position: UInt64 = 0

    private static var page: Int { 1_000 }
    /// Nanoseconds after which the store is looked at where no change was told.
    private static var look: UInt64 { 1_000_000_000 }

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
        // A host's writes make this file grow. If it cannot be watched, poll it.
        var watch = csys_file_watch(store.watchedFile)
        defer { if watch >= 0 { csys_close(watch) } }
        var version = try version()
        while lines.isWanted {
            let wake = csys_monotonic_ns() &+ Self.look
            if isOver(stop, watch, until: wake) { return }
            if csys_file_watch_drain(watch), access(store.watchedFile, F_OK) != 0 {
                csys_close(watch)
                watch = csys_file_watch(store.watchedFile)
            }
            let newer = try self.version()
            guard newer != version else { continue }
            version = newer
            try show(after: position, limit: .max)
        }
    }

    /// Waits until something was written, or a moment. True: it is time to stop.
    private func isOver(_ stop: StopSignals, _ watch: Int32, until: UInt64) -> Bool {
        let now = csys_monotonic_ns()
        let milliseconds = until > now ? Int32((until - now) / 1_000_000) + 1 : 0
        // The output is polled for errors only: its reader may leave.
        var waited = [
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: lines.descriptor, events: 0, revents: 0),
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waited, nfds_t(waited.count), milliseconds) > 0 else { return false }
        return waited[0].revents != 0 || waited[1].revents != 0
    }

    private func version() throws(CommandError) -> Int64 {
        try StorePlace.translated { () throws(StoreFault) in try store.dataVersion() }
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
