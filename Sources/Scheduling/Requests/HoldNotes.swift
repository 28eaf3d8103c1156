// SPDX-License-Identifier: Apache-2.0

/// What the journal already says of requests that are due and wait, and when to look at them again.
///
/// Entries of the kind `held` say which factors held a request from their date on, until the request's next entry. So
/// they are written when that changes, in the transaction of a decision, and not while it stays.
struct HoldNotes: Sendable {
    struct Note: Hashable, Sendable {
        let head: RequestHead
        let factors: [Factor]
        /// The date of the entry.
        let since: Int64
    }

    /// The nanoseconds for which a request may be late without an entry: much is late for a moment.
    static let patience: UInt64 = 10_000_000_000
    /// The maximum number of requests at which one look looks.
    static let limit = 1_000

    private(set) var notes: [RequestQueue: Note] = [:]
    /// The time of the next look, on the clock of `Moment.span`; nil for none.
    private(set) var next: UInt64?
    /// How many entries say that no host was there when a request was due.
    private(set) var absences = 0

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

    mutating func set(_ note: Note, of queue: RequestQueue) { notes[queue] = note }

    mutating func keep(_ queues: Set<RequestQueue>) {
        if !notes.isEmpty { notes = notes.filter { queues.contains($0.key) } }
    }

    /// Forgets all notes: nothing waits.
    mutating func forget() {
        next = nil
        if !notes.isEmpty { notes = [:] }
    }

    /// Forgets the note of a queue whose first request is launched; returns it.
    mutating func remove(_ queue: RequestQueue) -> Note? {
        notes.isEmpty ? nil : notes.removeValue(forKey: queue)
    }

    /// Returns whether one more entry may say that no host was there: a host that starts may find a backlog.
    mutating func countsAbsence() -> Bool {
        guard absences < Self.limit else { return false }
        absences += 1
        return true
    }
}
