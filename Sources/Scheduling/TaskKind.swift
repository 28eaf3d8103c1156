// SPDX-License-Identifier: Apache-2.0

extension TaskKind {
    /// The name a manifest uses.
    package var name: String {
        switch self {
        case .appRefresh: "app-refresh"
        case .processing: "processing"
        case .healthResearch: "health-research"
        case .continuedProcessing: "continued-processing"
        }
    }

    /// The name of Apple's class, for lines that look like Apple's.
    package var className: String {
        switch self {
        case .appRefresh: "BGAppRefreshTask"
        case .processing: "BGProcessingTask"
        case .healthResearch: "BGHealthResearchTask"
        case .continuedProcessing: "BGContinuedProcessingTask"
        }
    }

    /// Runs on the workers of short tasks; all others on those of long ones.
    package var isShort: Bool { self == .appRefresh }

    /// Reads the name a manifest uses.
    package init?(name: String) {
        guard let kind = TaskKind.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// The budget of a handler that declares none, in nanoseconds: 30 s for a refresh, as Apple
    /// gives; 10 min for processing.
    package var defaultBudget: UInt64 {
        switch self {
        case .appRefresh: 30_000_000_000
        case .processing, .healthResearch, .continuedProcessing: 600_000_000_000
        }
    }

    /// The grace of a handler that declares none, in nanoseconds.
    package static var defaultGrace: UInt64 { 5_000_000_000 }
}
