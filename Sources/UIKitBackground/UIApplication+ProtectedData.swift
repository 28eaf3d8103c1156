// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew

extension UIApplication {
    /// Whether files that are protected until the first unlock can be read: the machine's factor
    /// `first-unlock`, as its sessions say or the host was told. True where nobody can tell.
    public var isProtectedDataAvailable: Bool {
        AppHost.shared.factor(Int32(CURFEW_FACTOR_FIRST_UNLOCK)) != .no
    }
}
