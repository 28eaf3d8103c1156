// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// The one row of counters: the last numbers that were given, which never come again, and how many
/// requests there are where counting them would take looking at each.
struct StoreCounters: Equatable {
    static let all =
        "last_request, last_entry, last_filed, app_refresh, processing, health_research, continued_processing, history"

    /// Of the requests.
    var lastRequest: Int64 = 0
    /// Of the journal.
    var lastEntry: Int64 = 0
    /// Up to this entry the journal is in order by request, too.
    var lastFiled: Int64 = 0
    private var appRefresh: Int64 = 0
    private var processing: Int64 = 0
    private var healthResearch: Int64 = 0
    private var continuedProcessing: Int64 = 0
    /// Requests that are over.
    var history: Int64 = 0

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

    /// A request of a kind came to a state; `before` is nil for a new one.
    mutating func moved(_ kind: TaskKind, from before: RequestState?, to state: RequestState) {
        if before == .pending { self[kind] &-= 1 }
        if state == .pending { self[kind] &+= 1 }
        if let before, !before.isLive { history &-= 1 }
        if !state.isLive { history &+= 1 }
    }

    func put(to statement: SQLiteStatement) {
        statement.put(lastRequest)
        statement.put(lastEntry)
        statement.put(lastFiled)
        for kind in TaskKind.allCases { statement.put(self[kind]) }
        statement.put(history)
    }

    /// Reads the columns `all`.
    init(at statement: SQLiteStatement, in path: String) throws(StoreFault) {
        // Below the largest, so that the next number is one.
        let range: ClosedRange<Int64> = 0...(.max / 2)
        var row = RowReader(statement, of: "counter", id: 1, in: path)
        lastRequest = try row.integer(range)
        lastEntry = try row.integer(range)
        lastFiled = try row.integer(range)
        for kind in TaskKind.allCases { self[kind] = try row.integer(range) }
        history = try row.integer(range)
    }

    init() {}
}
