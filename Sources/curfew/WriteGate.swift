// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Keeps what is still being written away from the last words of this process.
///
/// A crash handler prints its message while other threads go on: without the gate a line of theirs
/// could follow the last one, or stand in the middle of it.
enum WriteGate {
    private static let isClosed = Atomic(false)
    private static let writers = Atomic(0)

    /// Begins a write, which `leave()` ends. Returns false once the gate is closed: then nothing may
    /// be written, and nothing is left.
    static func enter() -> Bool {
        writers.add(1, ordering: .sequentiallyConsistent)
        guard isClosed.load(ordering: .sequentiallyConsistent) else { return true }
        leave()
        return false
    }

    static func leave() { writers.subtract(1, ordering: .sequentiallyConsistent) }

    /// Lets no further write begin, and waits until those that have begun are done, at most 0.1 s:
    /// one may wait for a full pipe, or have been interrupted by the signal on this very thread.
    ///
    /// May be called by a handler of signals, if one of the other two was called before.
    static func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        var moment = timespec(tv_sec: 0, tv_nsec: 1_000_000)
        var looks = 0
        while writers.load(ordering: .sequentiallyConsistent) > 0, looks < 100 {
            nanosleep(&moment, nil)
            looks += 1
        }
    }
}
