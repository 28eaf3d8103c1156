// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc

/// A time limit for retries while another process holds a lock.
struct RetryDeadline {
    private let end: UInt64

    init(seconds: UInt64) { end = csys_monotonic_ns() &+ seconds &* 1_000_000_000 }

    /// Pauses before the next try. Returns false once the limit is over.
    func waits() -> Bool {
        guard csys_monotonic_ns() < end else { return false }
        usleep(2_000)
        return true
    }
}
