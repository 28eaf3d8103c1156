// SPDX-License-Identifier: Apache-2.0

/// What a handler is for.
public enum TaskKind: Int32, Sendable, CaseIterable {
    /// Short work: 30 s unless the manifest says otherwise.
    case appRefresh = 1
    /// Long work: 10 min unless the manifest says otherwise.
    case processing = 2
}
