// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Scheduling

/// Waits for changes of a store by other processes.
final class StoreChanges {
    /// The end of a wait.
    enum Cause {
        case changed
        /// The deadline has passed.
        case timedOut
        /// A signal came, or the reader of the output is gone.
        case stopped
    }

    private let store: StoreClient
    private let stop: Int32
    private let output: Int32
    private let errors: Output
    private var watch: Int32
    private var version: Int64

    private var pause = StorePause()

    /// Begins to watch: read the store after this, so that no change is missed.
    ///
    /// - Parameters:
    ///   - stop: a descriptor that becomes readable when it is time to stop; -1 for none.
    ///   - console: where the reader of the output may leave, and where it is said that a server is waited for.
    init(_ store: StoreClient, stop: Int32 = -1, _ console: Console) throws(CommandError) {
        self.store = store
        self.stop = stop
        output = console.out.descriptor
        errors = console.errors
        version = try Self.version(store)
        // A host's writes make this file grow. If it cannot be watched, it is polled.
        watch = csys_file_watch(store.watchedFile)
    }

    deinit { if watch >= 0 { csys_close(watch) } }

    /// Waits for the next change, until a CLOCK_MONOTONIC time.
    func next(until deadline: UInt64 = .max) throws(CommandError) -> Cause {
        while true {
            let now = csys_monotonic_ns()
            if now >= deadline { return .timedOut }
            if isStopped(until: min(deadline, now &+ pause.next()), now) { return .stopped }
            if csys_file_watch_drain(watch) {
                pause.begin()
                if access(store.watchedFile, F_OK) != 0 {
                    csys_close(watch)
                    watch = csys_file_watch(store.watchedFile)
                }
            }
            let seen = try reading(until: deadline) { () throws(CommandError) in
                try Self.version(store)
            }
            guard let newer = seen else { return .stopped }
            guard newer == version else {
                version = newer
                return .changed
            }
        }
    }

    /// Nanoseconds for which the server of a store may be away.
    private static let patience: UInt64 = 60_000_000_000
    /// Nanoseconds between two looks whether it is back.
    private static let retryInterval: UInt64 = 500_000_000

    /// Does something that only reads the store, and does it again once a server is back that was away for less than a
    /// minute. Returns nil if it is time to stop before.
    ///
    /// - Parameter deadline: CLOCK_MONOTONIC time from which it is not waited for the server.
    func reading<Result>(
        until deadline: UInt64 = .max, _ body: () throws(CommandError) -> Result
    ) throws(CommandError) -> Result? {
        var end: UInt64?
        while true {
            do throws(CommandError) {
                return try body()
            } catch {
                let now = csys_monotonic_ns()
                guard error.fault == Fault.of(.storeUnreachable),
                    now < min(deadline, end ?? .max)
                else { throw error }
                if end == nil {
                    end = now + Self.patience
                    errors.note("the server of the store does not answer; waiting until it does")
                }
                if isStopped(until: now + Self.retryInterval, now) { return nil }
            }
        }
    }

    private func isStopped(until: UInt64, _ now: UInt64) -> Bool {
        // The output is polled for errors only.
        var waited = [
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
            pollfd(fd: output, events: 0, revents: 0),
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = Int32((until - now) / 1_000_000) + 1
        guard poll(&waited, nfds_t(waited.count), milliseconds) > 0 else { return false }
        return waited[0].revents != 0 || waited[1].revents != 0
    }

    private static func version(_ store: StoreClient) throws(CommandError) -> Int64 {
        try StorePlace.translated { () throws(StoreFault) in try store.dataVersion() }
    }
}
