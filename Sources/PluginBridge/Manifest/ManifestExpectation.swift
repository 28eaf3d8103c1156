// SPDX-License-Identifier: Apache-2.0

/// How a run with an example's payload goes.
public enum ManifestExpectation: String, Sendable, CaseIterable {
    /// The task succeeds.
    case success
    /// The task fails by itself.
    case failure
    /// The task runs until it is stopped.
    case slow
}
