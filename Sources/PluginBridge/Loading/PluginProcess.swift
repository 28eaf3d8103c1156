// SPDX-License-Identifier: Apache-2.0

/// The process of a plugin, as it is at the moment.
package struct PluginProcess: Sendable {
    /// Its id; 0 while none runs.
    package let id: Int32
    /// How many have been started for the plugin.
    package let starts: UInt32
    /// How the last one that has ended did so, as the rest of a sentence; "" if none has.
    package let lastEnd: String
    /// The last ends that nobody had asked for, the newest last.
    package let crashes: [PluginCrash]
    /// How many there were, by the number of the signal; 0 for an exit.
    package let crashCounts: [Int32: UInt64]
    /// The parts of the sandbox that this machine cannot enforce, each with the reason.
    package let notInForce: [String]

    /// Creates a description.
    package init(
        id: Int32, starts: UInt32, lastEnd: String, crashes: [PluginCrash],
        crashCounts: [Int32: UInt64], notInForce: [String]
    ) {
        self.crashes = crashes
        self.crashCounts = crashCounts
        self.notInForce = notInForce
        self.id = id
        self.starts = starts
        self.lastEnd = lastEnd
    }
}
