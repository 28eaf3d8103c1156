// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// The requests that operands name: by numbers, `12`, and by ranges of numbers, `3-7`.
struct RequestSelection {
    let ranges: [ClosedRange<UInt64>]
    /// So many numbers are named.
    var count: UInt64 {
        ranges.reduce(0) { sum, range in
            let (span, isLong) = (range.upperBound - range.lowerBound).addingReportingOverflow(1)
            let (all, isMore) = sum.addingReportingOverflow(span)
            return isLong || isMore ? .max : all
        }
    }
    private let texts: [String]

    init(_ operands: [String]) throws(CommandError) {
        texts = operands
        ranges = try operands.map { (text) throws(CommandError) in
            let ends = text.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2 else {
                let id = try RequestArgument.value(text).rawValue
                return id...id
            }
            let (first, last) = (
                RequestArgument.parse(String(ends[0])), RequestArgument.parse(String(ends[1]))
            )
            guard let first, let last, first <= last else {
                throw CommandError(
                    .usage, "`\(text)` is not a range of numbers",
                    notes: ["nothing was done"],
                    help: ["write the lower number first: `3-7`", "curfew ps --all"])
            }
            return first.rawValue...last.rawValue
        }
    }

    /// Returns the requests in the order of the operands, each once, and the first operand that
    /// names none. Of a range, the requests that the store has are meant.
    func find(
        in store: any StoreTransaction
    ) throws(StoreFault) -> (requests: [Request], missing: String?) {
        var (requests, seen): ([Request], Set<RequestID>) = ([], [])
        for (range, text) in zip(ranges, texts) {
            let found = try Self.requests(range, store)
            if found.isEmpty { return (requests, text) }
            requests += found.filter { seen.insert($0.id).inserted }
        }
        return (requests, nil)
    }

    /// Returns the ids of the requests; fails if an operand names none.
    func ids(in store: StoreClient, _ place: StorePlace) throws(CommandError) -> [RequestID] {
        let (requests, missing) = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in try find(in: transaction) }
        }
        if let missing { throw RequestArgument.unknown(missing, place) }
        return requests.map(\.id)
    }

    private static func requests(
        _ range: ClosedRange<UInt64>, _ store: any StoreTransaction
    ) throws(StoreFault) -> [Request] {
        if range.count == 1 {
            return try store.request(RequestID(rawValue: range.lowerBound)).map { [$0] } ?? []
        }
        var filter = RequestFilter(
            after: RequestID(rawValue: range.lowerBound - 1), limit: 1_000)
        var found: [Request] = []
        while true {
            let page = try store.requests(filter)
            found += page.prefix { $0.id.rawValue <= range.upperBound }
            guard let last = page.last, page.count == filter.limit,
                last.id.rawValue < range.upperBound
            else { return found }
            filter.after = last.id
        }
    }
}
