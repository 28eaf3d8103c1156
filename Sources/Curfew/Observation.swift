// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Runner

/// A closure that receives events until `end` is called or the last reference is released.
public final class Observation: Sendable {
    private let number: UInt64
    private let host: Host

    init(number: UInt64, host: Host) {
        self.number = number
        self.host = host
    }

    deinit { end() }

    /// Ends the observation. On return the closure is not running and will not be called again,
    /// unless the caller is inside it.
    public func end() { _ = host.runtime.loop.unsubscribe(number) }
}
