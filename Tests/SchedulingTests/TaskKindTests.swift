// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Scheduling

@Suite("Kinds of tasks")
struct TaskKindTests {
    @Test("a refresh has 30 s unless it says otherwise, processing 10 min")
    func budgets() {
        #expect(TaskKind.appRefresh.defaultBudget == 30_000_000_000)
        #expect(TaskKind.processing.defaultBudget == 600_000_000_000)
    }

    @Test("the grace is 5 s unless a handler says otherwise")
    func grace() {
        #expect(TaskKind.defaultGrace == 5_000_000_000)
    }

    @Test("a kind is known by its number and by its name")
    func names() {
        #expect(TaskKind.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(
            TaskKind.allCases.map(\.name) == [
                "app-refresh", "processing", "health-research", "continued-processing",
            ])
        #expect(TaskKind(name: "app-refresh") == .appRefresh)
        #expect(TaskKind(name: "processing") == .processing)
    }

    @Test(
        "no other name is a kind",
        arguments: ["", "App-Refresh", "appRefresh", "app_refresh", "processing ", "PROCESSING"])
    func otherNames(_ name: String) {
        #expect(TaskKind(name: name) == nil)
    }
}
