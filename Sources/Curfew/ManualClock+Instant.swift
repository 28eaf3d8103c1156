// SPDX-License-Identifier: Apache-2.0
import PluginBridge
public import Runner

extension ManualClock {
    /// The date that it shows; it begins at 2026-01-01 00:00:00 UTC.
    public var date: Instant { Instant(nanosecondsSince1970: moment.wall) }

    /// Advances the clock, stopping at every deadline in between, and returns once everything that
    /// came due has been delivered.
    ///
    /// Throws `.wrongThread` inside a host that uses the clock: it would wait for itself.
    public func advance(by duration: Duration) throws(CurfewError) {
        try CurfewError.check(advance(by: duration.inNanoseconds), "advancing the clock")
    }

    /// Sets the date, as one sets a machine's clock: no time passes.
    ///
    /// Throws `.wrongThread` inside a host that uses the clock, and `.invalid` for a date that no
    /// machine's clock can be set to.
    public func set(_ date: Instant) throws(CurfewError) {
        try CurfewError.check(setWall(date.nanosecondsSince1970), "setting the clock")
    }
}
