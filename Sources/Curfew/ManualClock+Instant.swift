// SPDX-License-Identifier: Apache-2.0
import PluginBridge
public import Runner

extension ManualClock {
    /// The date of the clock, which begins at 2026-01-01 00:00:00 UTC.
    public var date: Instant { Instant(nanosecondsSince1970: moment.wall) }

    /// Advances the clock, stopping at each deadline in between. Returns once all events that
    /// became due were delivered.
    ///
    /// Throws `.wrongThread` inside a host that uses the clock, where it would wait for itself.
    public func advance(by duration: Duration) throws(CurfewError) {
        try CurfewError.check(advance(by: duration.inNanoseconds), "advancing the clock")
    }

    /// Sets the date, like the date of a machine's clock: no time passes.
    ///
    /// Throws `.wrongThread` inside a host that uses the clock, and `.invalid` for a date to which
    /// no machine's clock can be set.
    public func set(_ date: Instant) throws(CurfewError) {
        try CurfewError.check(setWall(date.nanosecondsSince1970), "setting the clock")
    }
}
