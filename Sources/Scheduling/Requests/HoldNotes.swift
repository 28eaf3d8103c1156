// SPDX-License-Identifier: Apache-2.0

/// What holds the queues of requests that are due and wait, as far as the journal is to say it, and when to look again.
///
/// Entries of the kind `held` say which factors held a request from their date on, until the request's next entry. They
/// are written when that changes, in the transaction of a decision, and not while it stays. A queue has them for its
/// first request; another one gets its own when it is the first, or is launched.
struct HoldNotes: Sendable {
    /// From a date on these factors held a queue, until the next one.
    struct Span: Hashable, Sendable {
        let factors: [Factor]
        let detail: String
        let since: Int64
    }

    struct Note: Hashable, Sendable {
        /// In order, at least one.
        var spans: [Span]
        /// The request whose entries are written.
        var written: RequestID
    }

    /// The nanoseconds for which a request may be late without an entry: much is late for a moment.
    static let patience: UInt64 = 10_000_000_000
    /// The maximum number of queues at which one look looks, and of spans that are known of one.
    static let limit = 1_000

    private(set) var notes: [RequestQueue: Note] = [:]
    /// The time of the next look, on the clock of `Moment.span`; nil for none.
    private(set) var next: UInt64?

    /// Something may have changed: there is a look once the patience is over.
    mutating func mayChange(at now: Moment) {
        if next == nil { next = now.span &+ Self.patience }
    }

    /// Returns whether a look is due, and is made now.
    mutating func look(at now: Moment) -> Bool {
        guard let time = next, time <= now.span else { return false }
        next = nil
        return true
    }

    mutating func set(_ note: Note, of queue: RequestQueue) {
        var note = note
        if note.spans.count > Self.limit { note.spans.removeFirst() }
        notes[queue] = note
    }

    mutating func keep(_ queues: Set<RequestQueue>) {
        if !notes.isEmpty { notes = notes.filter { queues.contains($0.key) } }
    }

    /// Forgets all notes: nothing waits.
    mutating func forget() {
        next = nil
        if !notes.isEmpty { notes = [:] }
    }
}
