// SPDX-License-Identifier: Apache-2.0
import Glibc
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

    /// Calls `finish` on a detached thread.
    func finishElsewhere() {
        final class Carrier {
            let end: HostEnd
            init(_ end: HostEnd) { self.end = end }
        }
        let carrier = Unmanaged.passRetained(Carrier(self))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { raw in
                _ = Unmanaged<Carrier>.fromOpaque(raw!).takeRetainedValue().end.finish()
                return nil
            }, carrier.toOpaque())
        // If there is no thread, the host keeps running and needs its callbacks, so the carrier
        // stays retained.
        if failure == 0 { pthread_detach(thread) }
    }
}
