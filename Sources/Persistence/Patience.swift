// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc

/// How long something is tried again that another process is in the way of.
struct Patience {
    private let end: UInt64

    init(seconds: UInt64) { end = csys_monotonic_ns() &+ seconds &* 1_000_000_000 }

    /// Pauses before the next try. False: it has been long enough.
    func waits() -> Bool {
        guard csys_monotonic_ns() < end else { return false }
        usleep(2_000)
        return true
    }
}
