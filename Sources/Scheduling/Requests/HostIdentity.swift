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

/// The host that uses a store now, by its own report, for people.
package struct HostPresence: Hashable, Sendable {
    /// Its process id; nil if unknown.
    package var process: Int32?
    /// The name of its machine; "" where one machine uses the store.
    package var machine: String
    /// The date since which it uses the store, in nanoseconds since 1970 in UTC; nil if unknown.
    package var since: Int64?
    /// The number of other hosts that use the store as well.
    package var others: Int

    package init(
        process: Int32? = nil, machine: String = "", since: Int64? = nil, others: Int = 0
    ) {
        self.process = process
        self.machine = machine
        self.since = since
        self.others = others
    }
}
