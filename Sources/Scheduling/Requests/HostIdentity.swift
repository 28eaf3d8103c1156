// SPDX-License-Identifier: Apache-2.0

/// Which process a host is, and no other before or after it: numbers of processes come again, these
/// three together do not.
package struct HostIdentity: Hashable, Sendable {
    /// The kernel's id of this boot.
    package var boot: String
    /// The number of the process.
    package var process: Int32
    /// When the process was started, in the kernel's ticks since the boot.
    package var start: UInt64

    /// All three together.
    package init(boot: String, process: Int32, start: UInt64) {
        self.boot = boot
        self.process = process
        self.start = start
    }
}
