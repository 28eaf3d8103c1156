// SPDX-License-Identifier: Apache-2.0

/// What happened, numbered without a gap: a number that is missing was removed by the retention, or
/// is counted by an entry `lost`.
public struct JournalEntry: Hashable, Sendable {
    public enum What: UInt8, Sendable, CaseIterable {
        case hostStarted = 1
        case hostStopped = 2
        case submitted = 3
        case replaced = 4
        case cancelled = 5
        case launched = 6
        case ended = 7
        case backedOff = 8
        case snoozed = 9
        case repeated = 10
        case datesSkipped = 11
        case missed = 12
        case parked = 13
        case lifted = 14
        case finished = 15
        /// The end of an attempt that is not the running one: not taken.
        case fenced = 16
        /// Entries that could not be written; the detail is their number.
        case lost = 17
        case factorChanged = 18

        /// The word used in text and JSON.
        public var name: String {
            switch self {
            case .hostStarted: "host-started"
            case .hostStopped: "host-stopped"
            case .submitted: "submitted"
            case .replaced: "replaced"
            case .cancelled: "cancelled"
            case .launched: "launched"
            case .ended: "ended"
            case .backedOff: "backed-off"
            case .snoozed: "snoozed"
            case .repeated: "repeated"
            case .datesSkipped: "dates-skipped"
            case .missed: "missed"
            case .parked: "parked"
            case .lifted: "lifted"
            case .finished: "finished"
            case .fenced: "fenced"
            case .lost: "lost"
            case .factorChanged: "factor-changed"
            }
        }
    }

    /// 0 before the store has taken it in.
    public var sequence: UInt64
    /// Nanoseconds since 1970 in UTC.
    public var at: Int64
    public var what: What
    /// Nil: it is about the host.
    public var request: RequestID?
    public var identifier: String
    /// The number of the launch it is about, or 0.
    public var launch: UInt64
    /// For people: lower case, no full stop; "" where there is nothing to add.
    public var detail: String

    public init(
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
