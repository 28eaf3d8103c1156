// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues

/// Loads plugins on a thread of its own, one load at a time. A plugin whose code hangs takes ten seconds, and the main
/// thread has to handle signals and the watchdog meanwhile.
final class PluginLoading: Sendable {
    private struct State {
        var isRunning = false
        /// A reload was asked for during the load.
        var isWanted = false
    }

    private let state = Locked(State())
    /// eventfd, readable once nothing is loaded any more.
    private let over = csys_eventfd()
    /// Signalled at the end of a load during which a reload was asked for.
    private let event: Int32

    /// - Parameter event: an eventfd.
    init(event: Int32) { self.event = event }

    deinit { csys_close(over) }

    /// Returns whether something is being loaded: then `event` is signalled at its end.
    func isBusy() -> Bool {
        state.withLock { state in
            if state.isRunning { state.isWanted = true }
            return state.isRunning
        }
    }

    /// Loads on a thread, or here if none can be started.
    func start(_ load: @escaping @Sendable () -> Void) {
        state.withLock { $0.isRunning = true }
        do throws(CommandError) {
            try ProgramThread.start(orEnd: .host) { [self] in
                csys_thread_name("curfew-plugins")
                load()
                end()
            }
        } catch {
            load()
            end()
        }
    }

    private func end() {
        let isWanted = state.withLock { state in
            defer { state = State() }
            return state.isWanted
        }
        if isWanted { csys_eventfd_signal(event) }
        csys_eventfd_signal(over)
    }

    /// Waits until nothing is loaded, at most for some nanoseconds: the host ends, and lets nobody load any more.
    func wait(atMost limit: UInt64) {
        let deadline = csys_monotonic_ns() &+ limit
        while state.withLock({ $0.isRunning }), csys_monotonic_ns() < deadline {
            csys_wait_readable(over, deadline)
            csys_eventfd_drain(over)
        }
    }
}
