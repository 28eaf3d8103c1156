// SPDX-License-Identifier: Apache-2.0

/// The functions of a host that a plugin's process calls through the channel, and whose replies it waits
/// for.
package enum ChannelCall: UInt16, Sendable, CaseIterable {
    case register = 1
    case facts
    case report
    case complete
    /// The verdict on a posted completion, or on a posted event, of a task that is over by now.
    case verdict
    case keep
    case release
    case raise
    case callSub
    case waitFor
    case sleep
    case date
    case submit
    case cancelRequests
    case pendingRequests
    case payload
    case snooze
    case request
    case owner
    case trace

    /// Whether it may wait for a disk, so that a thread of its own makes it.
    package var mayBlock: Bool {
        switch self {
        case .submit, .cancelRequests, .pendingRequests, .payload, .register: true
        default: false
        }
    }
}

/// What a host asks a plugin's process to do.
package enum ChannelOrder: UInt32, Sendable {
    /// Call the expiration callback of a task.
    case expire = 1
    /// Call a sub with values, or a continuation.
    case deliver
    /// Say which subs there are.
    case findSub
    /// Make the last call into the plugin.
    case retire
    /// Load the library and call its entry.
    case enter
}
