// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// A check of a store's file, concurrent with the host that uses it.
final class StoreCheck: @unchecked Sendable {
    // Sendable: created on one thread, then used on another one only.

    private weak var loop: RequestLoop?
    private let check: @Sendable () throws(StoreFault) -> [String]

    init(loop: RequestLoop, check: @escaping @Sendable () throws(StoreFault) -> [String]) {
        self.loop = loop
        self.check = check
    }

    func run() {
        do throws(StoreFault) {
            let problems = try check()
            loop?.checked(problems)
        } catch {
            // Any other error will occur in the next transaction as well.
            guard error.kind == .corrupt else { return }
            loop?.checked([error.message])
        }
    }
}
