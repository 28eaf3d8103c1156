// SPDX-License-Identifier: Apache-2.0

/// A host that uses a store, as the store keeps it: one life of one process.
package struct HostRecord: Hashable, Sendable {
    /// Its number in the store, which no other host gets; 0 before it has entered.
    package var id: Int64
    package var identity: HostIdentity
    /// The name of its machine; "" where one machine uses the store.
    package var machine: String
    /// The inode of the namespace that its process number is of; 0 if unknown.
    package var space: UInt64
    /// The date since which it uses the store, in nanoseconds since 1970 in UTC.
    package var since: Int64
    /// The nanoseconds without a beat after which others take its requests over; 0 where a lock says whether it
    /// lives.
    package var lease: UInt64
    /// Counts up while it lives.
    package var beat: Int64
    /// A person has asked it to launch nothing more.
    package var isDrained: Bool
    /// The version of the store's tables that it knows; 0 where only the program that opens a store changes them.
    package var knows: Int64
    /// The version of its program; "" if unknown.
    package var release: String
    /// Nanoseconds since its last beat, by the clock of the store's server, when it was read; nil if unknown. For
    /// people: `HostWatch` says which hosts are dead.
    package var silence: UInt64?

    package init(
        id: Int64 = 0, identity: HostIdentity, machine: String = "", space: UInt64 = 0,
        since: Int64, lease: UInt64 = 0, beat: Int64 = 0, isDrained: Bool = false,
        knows: Int64 = 0, release: String = "", silence: UInt64? = nil
    ) {
        self.id = id
        self.identity = identity
        self.machine = machine
        self.space = space
        self.since = since
        self.lease = lease
        self.beat = beat
        self.isDrained = isDrained
        self.knows = knows
        self.release = release
        self.silence = silence
    }

    /// Whether it has been silent for so long that other hosts may take it for dead.
    package var isSilent: Bool { lease > 0 && silence.map { $0 >= lease } ?? false }

    /// Returns whether this host's machine, seen by a later host, was started again since it ended with it: then its
    /// end is no evidence against a request.
    func hasEndedWithItsMachine(seenBy other: HostRecord) -> Bool {
        machine == other.machine && identity.boot != other.identity.boot
    }

    /// Returns whether another host can tell from the process number whether this one's process is there.
    package func isVisible(to other: HostRecord) -> Bool {
        identity.boot == other.identity.boot && space == other.space && space != 0
    }
}
