// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew

extension UIApplication {
    /// Whether files that are protected until the first unlock can be read: the machine's factor
    /// `first-unlock`, by its sessions or as the host was told. True if unknown.
    public var isProtectedDataAvailable: Bool {
        AppHost.shared.factor(Int32(CURFEW_FACTOR_FIRST_UNLOCK)) != .no
    }
}
