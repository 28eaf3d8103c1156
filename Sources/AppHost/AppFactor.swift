// SPDX-License-Identifier: Apache-2.0

/// The state of a factor of the machine.
package enum AppFactorState: Int32, Sendable {
    case no = 0
    case yes = 1
    case unknown = 2
}

/// A Swift closure that a C function calls.
final class AppFactorObserver: Sendable {
    let body: @Sendable (String, AppFactorState) -> Void

    init(_ body: @escaping @Sendable (String, AppFactorState) -> Void) { self.body = body }
}
