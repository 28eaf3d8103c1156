// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner

@c @implementation public func curfew_clock_create(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard let out else {
        return answer(
            error, .invalid,
            "out_clock is NULL, and no clock was created: pass the address of a curfew_clock *")
    }
    out.pointee = OpaquePointer(Unmanaged.passRetained(ManualClock()).toOpaque())
    return Status.ok.rawValue
}

@c @implementation public func curfew_clock_advance(
    _ clock: OpaquePointer, _ duration: UInt64, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = with(clock) { (clock: ManualClock) in clock.advance(by: duration) }
    return answer(error, status, insideText)
}

private let insideText =
    "a clock cannot be changed inside a host that uses it: not in its callbacks, events or plugin code"

@c @implementation public func curfew_clock_get_now_ns(_ clock: OpaquePointer) -> UInt64 {
    with(clock) { (clock: ManualClock) in clock.now }
}

@c @implementation public func curfew_clock_destroy(
    _ clock: OpaquePointer?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    guard let clock else { return Status.ok.rawValue }
    if with(clock, { (clock: ManualClock) in clock.isInUse }) {
        return answer(error, .wrongState, "a host uses the clock; destroy the host first")
    }
    Unmanaged<ManualClock>.fromOpaque(UnsafeRawPointer(clock)).release()
    return Status.ok.rawValue
}

@c @implementation public func curfew_clock_set_wall_ns(
    _ clock: OpaquePointer, _ wall: Int64, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    let status = with(clock) { (clock: ManualClock) in clock.setWall(wall) }
    return answer(
        error, status,
        status == .invalid
            ? "\(wall) ns is before 1970 or after 2232-04-18, to which no clock can be set"
            : insideText)
}
