// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
import Scheduling

package struct Launch {
    /// Copied by the launch.
    package var payload: UnsafeRawBufferPointer
    /// Nanoseconds; 0 means the handler's.
    package var budget: UInt64
    package var grace: UInt64
    /// 0 means 1.
    package var attempt: UInt32
    /// Whether the embedder gets a reference.
    package var keep: Bool
    var request: RequestLaunch?

    package init(
        payload: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        budget: UInt64 = 0, grace: UInt64 = 0, attempt: UInt32 = 0, keep: Bool = false
    ) {
        self.payload = payload
        self.budget = budget
        self.grace = grace
        self.attempt = attempt
        self.keep = keep
    }

    var isPlain: Bool {
        payload.isEmpty && budget == 0 && grace == 0 && attempt == 0 && !keep && request == nil
    }

    /// Returns the status for options that are out of range, or nil.
    func fault(payloadLimit: UInt64) -> Status? {
        guard UInt64(payload.count) <= payloadLimit else { return .tooLarge }
        let day: UInt64 = 86_400_000_000_000
        guard budget <= day, grace <= day else { return .invalid }
        return nil
    }
}

/// The result of a launch: a status and, if `ok`, the task's public id.
package struct Launched {
    package let status: Status
    package let task: UInt64
}
