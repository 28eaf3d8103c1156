// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// A wait for an event, or a sleep, in a target.
final class TargetWait: TimedWait, @unchecked Sendable {
    /// Called once on the loop's thread.
    let settle: @Sendable (Result<TargetEvent?, BridgeError>) -> Void
    private let filter: SenderFilter?

    init(
        filter: SenderFilter?,
        settle: @escaping @Sendable (Result<TargetEvent?, BridgeError>) -> Void
    ) {
        self.filter = filter
        self.settle = settle
    }

    var isGone: Bool { filter?.isGone ?? false }
}
