// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Runner

/// A closure that sees events, until `end` or until the last reference goes.
public final class Observation: Sendable {
    private let number: UInt64
    private let host: Host

    init(number: UInt64, host: Host) {
        self.number = number
        self.host = host
    }

    deinit { end() }

    /// Ends it. On return the closure is not running and will not be called, unless the caller is
    /// inside it.
    public func end() { _ = host.runtime.loop.unsubscribe(number) }
}
