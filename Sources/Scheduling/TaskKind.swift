// SPDX-License-Identifier: Apache-2.0

extension TaskKind {
    /// The name in manifests.
    package var name: String {
        switch self {
        case .appRefresh: "app-refresh"
        case .processing: "processing"
        case .healthResearch: "health-research"
        case .continuedProcessing: "continued-processing"
        }
    }

    /// The name of Apple's class, for log lines in Apple's format.
    package var className: String {
        switch self {
        case .appRefresh: "BGAppRefreshTask"
        case .processing: "BGProcessingTask"
        case .healthResearch: "BGHealthResearchTask"
        case .continuedProcessing: "BGContinuedProcessingTask"
        }
    }

    /// Whether it runs in the worker pool of short tasks; all others run in that of long tasks.
    @inlinable package var isShort: Bool { self == .appRefresh }

    /// Reads the name in manifests.
    package init?(name: String) {
        guard let kind = TaskKind.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// The default budget in nanoseconds: 30 s for a refresh, as in Apple's system; 10 min for
    /// processing.
    package var defaultBudget: UInt64 {
        switch self {
        case .appRefresh: 30_000_000_000
        case .processing, .healthResearch, .continuedProcessing: 600_000_000_000
        }
    }

    /// The default grace in nanoseconds.
    package static var defaultGrace: UInt64 { 5_000_000_000 }
}
