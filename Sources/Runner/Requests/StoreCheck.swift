// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// A look through a store's file, beside the host that uses it.
final class StoreCheck: @unchecked Sendable {
    // Sendable: made on one thread, then used on another.

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
            // Whatever keeps it from being looked at shows in the next transaction as well.
            guard error.kind == .corrupt else { return }
            loop?.checked([error.message])
        }
    }
}
