// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import FoundationEssentials
import Glibc

/// One run over a feed: reads it, and writes the items that no earlier run wrote.
struct FeedRun: ~Copyable {
    /// The number of items written between two checks for a stop.
    private static var batch: Int { 64 }

    private let task: HandlerTask
    private let request: FeedRequest
    private var output: FeedOutput
    private var state: FeedState
    private(set) var summary = FeedSummary()

    init(_ task: HandlerTask, _ request: FeedRequest) throws {
        var output = try FeedOutput(request.to)
        // Read the state while no other task can write it.
        var state = try FeedState.load(for: request.to)
        try output.recover(state)
        state.ids = output.unnoted + state.ids
        self.task = task
        self.request = request
        self.output = output
        self.state = state
    }

    mutating func run() throws {
        // Validators of another source mean nothing to this one.
        let version = state.from == request.from ? state.version.sendable : FeedVersion()
        guard let document = try read(version) else {
            summary.unchanged = true
            return try end()
        }
        let feed: FeedReader
        do {
            feed = try FeedReader(document) {
                guard !task.isExpired, !Task.isCancelled else { throw CancellationError() }
            }
        } catch is CancellationError {
            throw FeedProblem(stoppedReading: request.source, task)
        } catch let problem as FeedProblem {
            throw FeedProblem("could not read \(request.source): \(problem)")
        }
        let known = Set(state.ids)
        let new = Array(feed.items.filter { !known.contains($0.id) }.reversed())
        summary.known = feed.items.count - new.count + feed.repeated
        let isStopped = try write(new)
        // A version is recorded only when all its items are written.
        let isWhole = !isStopped && feed.fault == nil
        state.version = isWhole ? document.version : version
        state.from = request.from
        note(feed.items, written: new.prefix(summary.new))
        try end()
        for item in new.prefix(summary.new) {
            // The event is a notice: a full queue of the host does not fail the task.
            try? task.raise("feed_item", .text(item.title), .text(item.link))
        }
        if isStopped {
            throw FeedProblem(
                stopped: task, "after \(summary.new) of \(new.count) new items",
                "they are written, and the next run carries on with the rest")
        }
        if let fault = feed.fault {
            throw FeedProblem(
                "\(request.source) is not well-formed XML: \(fault); the \(summary.new) new items "
                    + "before that are written, and the next run reads it again")
        }
    }

    /// Returns the document, or nil if it has not changed since the last run.
    private func read(_ version: FeedVersion) throws -> FeedDocument? {
        task.report(progress: 0, "reading \(request.source)")
        if request.isWeb {
            let download = WebDownload(task: task, address: request.from, version: version)
            return try download.document()
        }
        let file = try Descriptor(request.from, O_RDONLY)
        _ = try file.status()
        return FeedDocument(
            bytes: try file.readAll(
                from: 0, limit: FeedDocument.limit, FeedDocument.tooLarge))
    }

    /// Writes and counts the items. Returns true if the task has to stop before the last one.
    private mutating func write(_ new: [FeedItem]) throws -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        while summary.new < new.count {
            guard !task.isExpired, !Task.isCancelled else { return true }
            let batch = new[summary.new...].prefix(FeedRun.batch)
            try output.append(batch.flatMap { try $0.line(encoder) })
            summary.new += batch.count
            task.report(
                progress: 0.5 + Double(summary.new) / Double(new.count) / 2,
                "\(summary.new) of \(new.count) new items")
        }
        return false
    }

    /// Returns the ids that later runs need: the written ones of the document, then older ones up
    /// to the limit.
    private mutating func note(_ items: [FeedItem], written: ArraySlice<FeedItem>) {
        let known = Set(state.ids).union(written.map(\.id))
        let current = items.map(\.id).filter(known.contains)
        let isCurrent = Set(current)
        let others = state.ids.filter { !isCurrent.contains($0) }
        state.ids = current + others.prefix(max(0, FeedState.idLimit - current.count))
    }

    private mutating func end() throws {
        try output.settle(&state)
        try state.save(for: request.to)
        if summary.unchanged { task.report(progress: 1, "nothing new") }
    }
}
