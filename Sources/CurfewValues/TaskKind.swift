// SPDX-License-Identifier: Apache-2.0

/// The kind of a handler: it sets the default budget and picks the worker pool.
public enum TaskKind: Int32, Sendable, CaseIterable {
    /// Short work: 30 s unless the manifest says otherwise.
    case appRefresh = 1
    /// Long work: 10 min unless the manifest says otherwise.
    case processing = 2
    /// As `processing`, for studies that their user takes part in.
    case healthResearch = 3
    /// As `processing`, begun by a user who waits for it.
    case continuedProcessing = 4
}
