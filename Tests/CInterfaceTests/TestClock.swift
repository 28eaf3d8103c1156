// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface

/// A clock that a test advances. Freed after the last host that uses it.
final class TestClock: @unchecked Sendable {
    // Sendable: the C functions take calls from every thread.

    let raw: OpaquePointer

    init() {
        var clock: OpaquePointer?
        _ = curfew_clock_create(&clock, nil)
        raw = clock!
    }

    deinit { _ = curfew_clock_destroy(raw, nil) }

    var now: UInt64 { curfew_clock_get_now_ns(raw) }

    @discardableResult
    func advance(_ nanoseconds: UInt64) -> Answer {
        Answer(curfew_clock_advance(raw, nanoseconds, nil))
    }
}
