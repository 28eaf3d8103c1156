// SPDX-License-Identifier: Apache-2.0
import CSystem

/// The function of a thread, as an object that a C pointer can carry.
package final class ThreadBody {
    private let run: () -> Void

    private init(_ run: @escaping () -> Void) { self.run = run }

    /// Starts a thread with all signals blocked. Returns false if the system cannot create one.
    ///
    /// - Parameter thread: receives the thread, which is to be joined; nil detaches it.
    package static func start(
        _ body: @escaping () -> Void, _ stackBytes: UInt64 = 0,
        _ thread: UnsafeMutablePointer<UInt64>? = nil
    ) -> Bool {
        let raw = Unmanaged.passRetained(ThreadBody(body))
        let isStarted =
            csys_thread_start(
                { Unmanaged<ThreadBody>.fromOpaque($0!).takeRetainedValue().run() },
                raw.toOpaque(), stackBytes, thread) == 0
        if !isStarted { raw.release() }
        return isStarted
    }
}
