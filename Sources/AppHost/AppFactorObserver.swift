// SPDX-License-Identifier: Apache-2.0

/// A closure behind a C function.
final class AppFactorObserver: Sendable {
    let body: @Sendable (String, AppFactorState) -> Void

    init(_ body: @escaping @Sendable (String, AppFactorState) -> Void) { self.body = body }
}
