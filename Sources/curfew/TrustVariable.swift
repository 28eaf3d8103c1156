// SPDX-License-Identifier: Apache-2.0

/// The variable with the policy of commands that have no `--trust`.
enum TrustVariable {
    static let name = "CURFEW_TRUST"

    /// Nil where it is not set, or empty.
    static var value: String? {
        Environment.value(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
