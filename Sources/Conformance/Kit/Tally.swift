// SPDX-License-Identifier: Apache-2.0

/// The number of cases with each result.
package struct Tally: Sendable {
    private var counts: [CaseStatus: Int] = [:]

    package init(_ results: [CaseResult] = []) {
        for result in results { add(result.verdict.status) }
    }

    package mutating func add(_ status: CaseStatus) { counts[status, default: 0] += 1 }

    package subscript(_ status: CaseStatus) -> Int { counts[status] ?? 0 }

    package var all: Int { counts.values.reduce(0, +) }

    package var failures: Int {
        CaseStatus.allCases.filter(\.isFailure).reduce(0) { $0 + self[$1] }
    }
}
