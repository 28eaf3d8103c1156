// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// The numbers of pending requests, as far as they are known without counting.
///
/// It is a value: what a transaction counts and changes is kept once the transaction was committed. What other hosts
/// submit is missing from a number until it is counted again, so that a limit of `leastLate` or more may be exceeded by
/// what they submit within a second.
struct PendingCounts {
    private struct Count {
        var number: Int
        /// No more than these were counted.
        let most: Int
        /// CLOCK_MONOTONIC until which the number is near enough.
        let until: UInt64
    }

    private var counts: [PendingScope: Count] = [:]
    /// Those that were counted in this transaction.
    private var own: Set<PendingScope> = []
    /// For which limit all requests are to be counted again, because their number is too old; nil if that is not so.
    private(set) var due: Int?

    /// The least limit for which a number of a short while ago is enough, while it is far from the limit.
    private static let leastLate = 1_000
    /// The largest limit near which the requests are counted in each transaction.
    private static let mostExact = 10_000
    /// Nanoseconds for which a number is near enough.
    private static let age: UInt64 = 1_000_000_000
    /// Of the time, no more than one part in so many is spent with counting.
    private static let share: UInt64 = 100
    private static let limit = 256

    /// Whether no other transaction may add to what is counted for a limit.
    static func isExact(_ limit: Int) -> Bool { limit <= mostExact }

    /// Begins a transaction.
    mutating func begin(at now: UInt64) {
        own = []
        due = counts[.all].flatMap { $0.until <= now ? $0.most : nil }
        if counts.contains(where: { $0.value.until <= now }) {
            counts = counts.filter { now < $0.value.until }
        }
    }

    /// Returns the number of pending requests, at most about `limit`; nil if they have to be counted.
    func number(in scope: PendingScope, atMost limit: Int) -> Int? {
        guard let count = counts[scope], count.number < count.most || limit <= count.most else {
            return nil
        }
        if own.contains(scope) { return count.number }
        guard limit >= Self.leastLate else { return nil }
        let isFar = count.number < limit - limit / 4
        return isFar || !Self.isExact(limit) ? count.number : nil
    }

    /// - Parameters:
    ///   - limit: no more were counted.
    ///   - times: CLOCK_MONOTONIC, when it was begun to count, and when it was done.
    mutating func set(
        _ number: Int, in scope: PendingScope, atMost limit: Int, counted times: Range<UInt64>
    ) {
        if counts.count >= Self.limit { (counts, own) = ([:], []) }
        let length = times.upperBound - times.lowerBound
        counts[scope] = Count(
            number: number, most: limit,
            until: times.upperBound + max(Self.age, Self.share * length))
        own.insert(scope)
    }

    /// A request was stored, or comes to another state.
    mutating func change(from before: RequestState?, to request: Request) {
        guard !counts.isEmpty, (before == .pending) != (request.state == .pending) else { return }
        for (scope, count) in counts where Self.holds(scope, request) {
            // The counting stopped at the limit, so the number of requests beyond it is unknown.
            guard count.number < count.most else { continue }
            counts[scope]!.number = max(0, count.number + (before == .pending ? -1 : 1))
        }
    }

    private static func holds(_ scope: PendingScope, _ request: Request) -> Bool {
        switch scope {
        case .all: true
        case .kind(let kind): request.description.kind == kind
        case .identifier(let identifier): request.description.identifier == identifier
        case .owner(let user): request.owner == user
        }
    }
}
