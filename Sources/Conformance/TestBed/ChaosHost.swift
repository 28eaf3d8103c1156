// SPDX-License-Identifier: Apache-2.0
package import PluginBridge

/// The chaos of one task of a plugin that a person tries by hand.
package struct ChaosHost {
    /// To be put between the plugin and its host, which runs it in a thread.
    package let interposer: any EntryInterposer
    /// The budget that the task has in place of its own, in nanoseconds; nil: its own.
    package let budget: UInt64?

    /// - Parameters:
    ///   - directory: the plugin's.
    ///   - tell: told what is done, before it is done, on the thread on which it is done.
    package init(
        seed: UInt64, directory: String, tell: @escaping @Sendable (String) -> Void
    ) {
        let chaos = Chaos(seed: seed, tell: tell)
        if chaos.below(4) == 0 {
            let budget = UInt64(1 + chaos.below(5_000_000))
            tell("its budget is \(budget / 1_000) µs")
            self.budget = budget
        } else {
            budget = nil
        }
        interposer = Interposer(
            chaos: chaos, survivesWithoutMemory: Subject(directory: directory).survivesWithoutMemory
        )
    }
}
