// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
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
    private var watch: Int32
    private var version: Int64

    private var pause = StorePause()

    /// Begins to watch: read the store after this, so that no change is missed.
    ///
    /// - Parameters:
    ///   - stop: a descriptor that becomes readable when it is time to stop; -1 for none.
    ///   - output: the descriptor whose reader may leave.
    init(_ store: StoreClient, stop: Int32 = -1, output: Int32) throws(CommandError) {
        self.store = store
        self.stop = stop
        self.output = output
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
            let newer = try Self.version(store)
            guard newer == version else {
                version = newer
                return .changed
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
