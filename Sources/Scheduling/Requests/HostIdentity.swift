// SPDX-License-Identifier: Apache-2.0

/// The identity of a host's process, unique over time: process ids are reused, but not the three
/// members together.
package struct HostIdentity: Hashable, Sendable {
    /// The kernel's id of this boot.
    package var boot: String
    /// The process id.
    package var process: Int32
    /// The start time of the process, in the kernel's ticks since the boot.
    package var start: UInt64

    package init(boot: String, process: Int32, start: UInt64) {
        self.boot = boot
        self.process = process
        self.start = start
    }
}
