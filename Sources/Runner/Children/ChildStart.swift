// SPDX-License-Identifier: Apache-2.0

import PluginBridge
import Scheduling

/// Starts the processes of plugins. `ended` is called once, on any thread that holds no lock, with how
/// the process has ended.
protocol ChildStarter: AnyObject, Sendable {
    func start(
        _ files: ChildFiles, _ confinement: Confinement, _ output: ChildOutput,
        ended: @escaping @Sendable (ChildEnd) -> Void
    ) throws(BridgeError) -> any RunningChild
}

/// The descriptors that a plugin's process gets; they stay the caller's.
struct ChildFiles {
    /// The sealed copy of the library, or -1.
    let library: Int32
    let down: Int32
    let up: Int32
}

/// A process of a plugin's.
protocol RunningChild: AnyObject, Sendable {
    var processID: Int32 { get }
    /// What confines it, once it has been started.
    var features: ChildFeatures? { get }
    /// Waits until it has been started, at most until a CLOCK_MONOTONIC time. Returns what confines it;
    /// nil if it has ended before.
    func awaitStart(until deadline: UInt64) -> ChildFeatures?
    /// Asks it to end, by SIGTERM.
    func terminate()
    /// Ends it and all that it has started.
    func kill()
}
