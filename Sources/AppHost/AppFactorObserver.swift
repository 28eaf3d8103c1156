// SPDX-License-Identifier: Apache-2.0

/// A Swift closure that a C function calls.
final class AppFactorObserver: Sendable {
    let body: @Sendable (String, AppFactorState) -> Void

    init(_ body: @escaping @Sendable (String, AppFactorState) -> Void) { self.body = body }
}
