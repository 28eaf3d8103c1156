// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Synchronization

/// The rest of a channel reader whose process has nothing to do: it sleeps without a limit, where it otherwise
/// looks every second at what the process has written without ringing.
///
/// The process shares the word of the bell, and could write over it. The word here is the host's own: what the
/// host asks of the process ends the rest, whatever the process does.
struct ReaderRest: ~Copyable {
    // An atomic cannot be copied, so its address is constant in memory that stays.
    private let word = Atomic<UInt32>(0)

    private static let resting: UInt32 = 1

    /// Begins a rest. Called with the lock of the channel, after a look whether there is something to do.
    func begin() { word.store(Self.resting, ordering: .sequentiallyConsistent) }

    /// Sleeps until the bell rings or `end` is called, at most until a CLOCK_MONOTONIC time, and ends the rest.
    /// Returns false where the kernel cannot wait for both.
    func sleep(_ bell: Bell, since rings: UInt32, until: UInt64) -> Bool {
        defer { word.store(0, ordering: .relaxed) }
        return withUnsafePointer(to: word) {
            bell.sleep(since: rings, whileOwn: $0, is: Self.resting, until: until)
        }
    }

    /// Ends the rest, if there is one: there is something to do.
    @inline(__always) func end() {
        if word.load(ordering: .sequentiallyConsistent) != 0 { wake() }
    }

    @inline(never) private func wake() {
        word.store(0, ordering: .sequentiallyConsistent)
        withUnsafePointer(to: word) { csys_futex_wake($0, 1) }
    }
}
