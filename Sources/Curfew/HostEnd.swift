// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Runner

/// The shutdown of a host whose last reference was released.
struct HostEnd: Sendable {
    let runtime: HostRuntime
    let buffers: Locked<[UInt64: EventBuffer]>

    /// Shuts the host down and ends its sequences. Returns false on a thread of the host, which
    /// must not wait for itself; then nothing was done.
    func finish() -> Bool {
        do {
            try runtime.destroy()
        } catch {
            if error.status == .wrongThread { return false }
        }
        for buffer in buffers.withLock({ Array($0.values) }) { buffer.end() }
        return true
    }
}
