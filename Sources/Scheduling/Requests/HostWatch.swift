// SPDX-License-Identifier: Apache-2.0

/// Says which other hosts of a store are dead: those that did not beat while this one watched.
///
/// A host raises its beat a few times within its lease, and reads the beats of all. Only its own clock measures how
/// long another one was silent, so that neither a clock that was set nor a server that was down makes anybody dead:
/// the silence counts from when it was first seen, and begins anew whenever this host's own beats had a break.
/// Times are nanoseconds of a clock that goes on while the machine sleeps.
package struct HostWatch: Sendable {
    private struct Seen {
        var beat: Int64
        var since: UInt64
    }

    private var others: [Int64: Seen] = [:]
    private var last: UInt64?
    /// The number of beats within a lease.
    package static let beatsPerLease: UInt64 = 3

    package init() {}

    /// A beat of this host did not get through: who was silent meanwhile may have beaten.
    package mutating func broke() { last = nil }

    /// Takes in the beats of all hosts, as they were read together with a beat of this one. Returns those that are
    /// dead; they are returned again until they are not in the list any more.
    package mutating func observe(
        _ hosts: [HostRecord], by me: HostRecord, at now: UInt64
    ) -> [HostRecord] {
        // A gap of two beats is a break: the process was stopped, or the machine slept.
        let most = 2 * me.lease / Self.beatsPerLease
        let isUnbroken = last.map { now >= $0 && now - $0 <= most } ?? false
        last = now
        if !isUnbroken { others = [:] }
        var here: [Int64: Seen] = [:]
        var dead: [HostRecord] = []
        for host in hosts where host.id != me.id && host.lease > 0 {
            var seen = others[host.id] ?? Seen(beat: host.beat, since: now)
            if seen.beat != host.beat { seen = Seen(beat: host.beat, since: now) }
            here[host.id] = seen
            // Its own lease counts, which may be longer than this host's.
            if now - seen.since >= host.lease { dead.append(host) }
        }
        others = here
        return dead
    }
}
