// SPDX-License-Identifier: Apache-2.0

/// A change of a request, or of the host. Entries are numbered without gaps: missing entries were
/// removed by the retention, or are counted by an entry `lost`.
public struct JournalEntry: Hashable, Sendable {
    /// The subject of an entry.
    public enum What: UInt8, Sendable, CaseIterable, KebabCased {
        /// A host began to use the store.
        case hostStarted = 1
        /// A host left the store in order.
        case hostStopped = 2
        /// A request was accepted.
        case submitted = 3
        /// A newer request replaced it.
        case replaced = 4
        /// It was cancelled.
        case cancelled = 5
        /// Its task was launched.
        case launched = 6
        /// Its task ended.
        case ended = 7
        /// It failed, and is retried after a delay.
        case backedOff = 8
        /// Its task asked to be launched again later.
        case snoozed = 9
        /// Its next date is set.
        case repeated = 10
        /// Its dates passed, and were skipped.
        case datesSkipped = 11
        /// Its latest date passed.
        case missed = 12
        /// It crashed the process too often.
        case parked = 13
        /// It was released after it was parked.
        case released = 14
        /// The request is finished.
        case finished = 15
        /// The end of an attempt that is not the running one was rejected.
        case fenced = 16
        /// Entries that were removed, between the one before and the next; generated for readers,
        /// and never stored.
        case gap = 17
        /// A factor of the machine changed.
        case factorChanged = 18
        /// It was over, and is pending again because a person retried it.
        case retried = 19
        /// A person asked for its launch before its date.
        case triggered = 20
        /// Its description was changed while it was pending.
        case edited = 21
        /// It was due, and factors held it from the entry's date on: the detail names them. They did so until its next
        /// entry. Spans of less than ten seconds have none.
        case held = 22
        /// Another user has asked for a change that has no other entry, or was refused. The detail says what, and who.
        case audited = 23
        /// A host did not show that it lives, and its requests were taken over.
        case hostLost = 24

        /// The kinds that say why something was not launched on its date.
        package static let causes: [What] = [.datesSkipped, .missed, .factorChanged, .held]

        var isCause: Bool { Self.causes.contains(self) }
    }

    /// The number of the entry; 0 before the store has accepted it.
    public package(set) var sequence: UInt64
    /// The date, in nanoseconds since 1970 in UTC.
    package var at: Int64
    /// The change.
    public package(set) var what: What
    /// The request; nil for an entry about the host.
    public package(set) var request: RequestID?
    /// The identifier of the request; "" for an entry about the host.
    public package(set) var identifier: String
    /// The number of the launch, or 0.
    package var launch: UInt64
    /// A text for people, in lower case, without full stop; may be "".
    public package(set) var detail: String

    package init(
        _ what: What, at: Int64, request: RequestID? = nil, identifier: String = "",
        launch: UInt64 = 0, detail: String = ""
    ) {
        sequence = 0
        self.at = at
        self.what = what
        self.request = request
        self.identifier = identifier
        self.launch = launch
        self.detail = detail
    }
}

extension JournalEntry {
    /// Inserts a `gap` entry before the first entry that does not follow its predecessor.
    ///
    /// - Parameter sequence: the number of the last entry that was read before.
    package static func tellingGap(_ entries: [JournalEntry], after sequence: UInt64)
        -> [JournalEntry]
    {
        guard let first = entries.first, first.sequence > sequence + 1 else { return entries }
        let count = first.sequence - sequence - 1
        var gap = JournalEntry(
            .gap, at: first.at,
            detail: "\(count) \(count == 1 ? "entry is" : "entries are") not kept any more")
        gap.sequence = first.sequence - 1
        return [gap] + entries
    }
}
