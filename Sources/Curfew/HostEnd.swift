// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Runner

/// What is left to do for a host whose last reference is gone.
struct HostEnd: Sendable {
    let runtime: HostRuntime
    let streams: [AsyncStream<HostEvent>.Continuation]

    /// Shuts the host down and ends its sequences. False on one of its own threads, which must not
    /// wait for itself: then nothing was done.
    func finish() -> Bool {
        do {
            try runtime.destroy()
        } catch {
            if error.status == .wrongThread { return false }
        }
        for stream in streams { stream.finish() }
        return true
    }

    /// The same on a thread of its own, which nobody waits for.
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
        // Without a thread the host goes on, and so must what it calls: the carrier stays.
        if failure == 0 { pthread_detach(thread) }
    }
}
