// SPDX-License-Identifier: Apache-2.0

/// The expected end of a task with an example's payload.
package enum ManifestExpectation: String, Sendable, CaseIterable {
    /// The task succeeds.
    case success
    /// The task fails by itself.
    case failure
    /// The task runs until it is stopped.
    case slow
}
