// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner

@c @implementation public func curfew_clock_create(
    _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> curfew_status {
    out?.pointee = OpaquePointer(Unmanaged.passRetained(ManualClock()).toOpaque())
    return Status.ok.rawValue
}

@c @implementation public func curfew_clock_advance(
    _ clock: OpaquePointer, _ nanoseconds: UInt64
) -> curfew_status {
    with(clock) { (clock: ManualClock) in clock.advance(by: nanoseconds).rawValue }
}

@c @implementation public func curfew_clock_get_now_ns(_ clock: OpaquePointer) -> UInt64 {
    with(clock) { (clock: ManualClock) in clock.now }
}

@c @implementation public func curfew_clock_destroy(_ clock: OpaquePointer?) -> curfew_status {
    guard let clock else { return Status.ok.rawValue }
    if with(clock, { (clock: ManualClock) in clock.isInUse }) { return Status.wrongState.rawValue }
    Unmanaged<ManualClock>.fromOpaque(UnsafeRawPointer(clock)).release()
    return Status.ok.rawValue
}

@c @implementation public func curfew_clock_set_wall_ns(
    _ clock: OpaquePointer, _ wall: Int64
) -> curfew_status {
    with(clock) { (clock: ManualClock) in clock.setWall(wall).rawValue }
}
