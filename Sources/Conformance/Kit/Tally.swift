// SPDX-License-Identifier: Apache-2.0

/// The number of cases with each result.
public struct Tally: Sendable {
    private var counts: [CaseStatus: Int] = [:]

    public init(_ results: [CaseResult] = []) {
        for result in results { add(result.verdict.status) }
    }

    public mutating func add(_ status: CaseStatus) { counts[status, default: 0] += 1 }

    public subscript(_ status: CaseStatus) -> Int { counts[status] ?? 0 }

    public var all: Int { counts.values.reduce(0, +) }

    public var failures: Int { CaseStatus.allCases.filter(\.isFailure).reduce(0) { $0 + self[$1] } }
}
