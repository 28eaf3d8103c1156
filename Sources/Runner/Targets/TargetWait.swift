// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Somebody who waits in a target for an event, or sleeps there.
final class TargetWait: @unchecked Sendable {
    // Sendable: `timer` is guarded by the target's lock; the rest is constant.

    /// Called once, on the loop's thread.
    let settle: @Sendable (Result<TargetEvent?, BridgeError>) -> Void
    private let filter: SenderFilter?
    /// When its time is up.
    var timer: UInt64?

    init(
        filter: SenderFilter?,
        settle: @escaping @Sendable (Result<TargetEvent?, BridgeError>) -> Void
    ) {
        self.filter = filter
        self.settle = settle
    }

    /// The one it waits for does not exist any more.
    var isGone: Bool { filter?.isGone ?? false }
}
