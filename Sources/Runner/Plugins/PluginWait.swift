// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Who waits or sleeps in a plugin's queue.
final class PluginWait: @unchecked Sendable {
    // Sendable: `timer` is guarded by the queue's lock.
    let continuation: PluginContinuation
    /// By which its time limit can be cancelled.
    var timer: UInt64?

    init(_ continuation: PluginContinuation) { self.continuation = continuation }
}
