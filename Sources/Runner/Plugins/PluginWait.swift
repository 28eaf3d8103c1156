// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// A wait or a sleep in a plugin's queue.
final class PluginWait: @unchecked Sendable {
    // Sendable: `timer` is guarded by the queue's lock.
    let continuation: PluginContinuation
    var timer: UInt64?

    init(_ continuation: PluginContinuation) { self.continuation = continuation }
}
