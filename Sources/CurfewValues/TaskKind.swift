// SPDX-License-Identifier: Apache-2.0

/// The kind of a handler, which sets the default budget and selects the worker pool.
public enum TaskKind: Int32, Sendable, CaseIterable {
    /// Short work: 30 s unless the manifest says otherwise.
    case appRefresh = 1
    /// Long work: 10 min unless the manifest says otherwise.
    case processing = 2
    /// Like `processing`, for studies in which the user takes part.
    case healthResearch = 3
    /// Like `processing`, started by a user who waits for it.
    case continuedProcessing = 4
}
