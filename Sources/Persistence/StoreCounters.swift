// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// The last numbers that were given, which never come again, and how many requests there are where
/// counting them would take looking at each. They are with the journal's last entry, whose number is
/// `lastEntry`; while the journal has none, in a row of their own.
struct StoreCounters: Equatable {
    /// Columns, but for the number of the last entry.
    static let all =
        "last_request, last_filed, app_refresh, processing, health_research, continued_processing, history"
    static let count = 7

    /// The last id of a request.
    var lastRequest: Int64 = 0
    /// The last number of the journal.
    var lastEntry: Int64 = 0
    /// Up to this entry the journal is in order by request, too.
    var lastFiled: Int64 = 0
    private var appRefresh: Int64 = 0
    private var processing: Int64 = 0
    private var healthResearch: Int64 = 0
    private var continuedProcessing: Int64 = 0
    /// Requests that are over.
    var history: Int64 = 0

    /// Pending requests of all kinds.
    var pending: Int64 { appRefresh + processing + healthResearch + continuedProcessing }

    /// Pending requests of a kind.
    subscript(kind: TaskKind) -> Int64 {
        get {
            switch kind {
            case .appRefresh: appRefresh
            case .processing: processing
            case .healthResearch: healthResearch
            case .continuedProcessing: continuedProcessing
            }
        }
        set {
            switch kind {
            case .appRefresh: appRefresh = newValue
            case .processing: processing = newValue
            case .healthResearch: healthResearch = newValue
            case .continuedProcessing: continuedProcessing = newValue
            }
        }
    }

    /// The last numbers that are acknowledged once this is committed.
    var acknowledged: HighWaterMark.Numbers {
        HighWaterMark.Numbers(request: lastRequest, entry: lastEntry)
    }

    /// A request of a kind came to a state; `before` is nil for a new one.
    mutating func moved(_ kind: TaskKind, from before: RequestState?, to state: RequestState) {
        if before == .pending { self[kind] &-= 1 }
        if state == .pending { self[kind] &+= 1 }
        if let before, !before.isLive { history &-= 1 }
        if !state.isLive { history &+= 1 }
    }

    /// Puts the columns `all`.
    func put(to statement: some RowSink) {
        statement.put(lastRequest)
        statement.put(lastFiled)
        for kind in TaskKind.allCases { statement.put(self[kind]) }
        statement.put(history)
    }

    static func putNothing(to statement: some RowSink) {
        for _ in 0..<count { statement.putNothing() }
    }

    /// Reads the number of the last entry and the columns `all`.
    init(at statement: some StoredRow, in path: String) throws(StoreFault) {
        // Below the largest, so that the next number is one.
        let range: ClosedRange<Int64> = 0...(.max / 2)
        var row = RowReader(statement, of: "journal", id: statement.integer(0), in: path)
        lastEntry = try row.integer(range)
        lastRequest = try row.integer(range)
        lastFiled = try row.integer(range)
        for kind in TaskKind.allCases { self[kind] = try row.integer(range) }
        history = try row.integer(range)
    }

    init() {}
}
