// SPDX-License-Identifier: Apache-2.0

/// Keeps a host in a store that many hosts share, and tells it of the others.
package protocol HostLease: AnyObject, Sendable {
    /// Readable when others may have written to the store.
    var descriptor: Int32 { get }

    /// Keeps the lease, on the calling thread, until `end` is called. Without a host it waits for one.
    ///
    /// - Parameter tell: called on this thread.
    func keep(_ tell: @escaping (HostLeaseNews) -> Void)
    /// This host has entered the store, and is to be kept in it from now on.
    func begin(_ host: HostRecord)
    /// Lets the lease run out, and `keep` return.
    func end()
    /// Has other hosts look into the store soon. Any thread may call; it does not wait.
    func wakeOthers()
}

/// What a host learns from its lease.
package enum HostLeaseNews: Sendable {
    /// Another host is dead.
    case dead(HostRecord)
    /// Beats have not got through for long, and others may take this host for dead at a time of CLOCK_BOOTTIME: what
    /// runs has to end before. `lapsed` or `renewed` follows.
    case lapsing(UInt64)
    /// Others may take this host for dead from now on: nothing may be launched.
    case lapsed
    /// Others have taken this host for dead: nothing that it does counts, and it has to enter the store anew. Nothing else
    /// may tell it so.
    case lost
    /// The server answers, and has taken no beat for so long that the lease has lapsed: a transaction says why. Told again
    /// as long as it is so.
    case refused
    /// This host's beats get through again.
    case renewed
    /// A person wants this host to launch nothing more, or to launch again.
    case drained(Bool)
}
