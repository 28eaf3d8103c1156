// SPDX-License-Identifier: Apache-2.0
import Persistence
package import Scheduling

extension StoreClient {
    /// Returns the identity under which a host of this process runs requests.
    package static func ownIdentity() throws(StoreFault) -> HostIdentity {
        try HostIdentity.current()
    }

    /// Returns the hosts that use the store, ordered by their numbers, also those that were silent for so long that
    /// others are about to take their requests over.
    package func hosts() throws(StoreFault) -> [HostView] {
        switch address {
        case .server:
            return try read { (store) throws(StoreFault) in
                try StoreHost.all(store).map {
                    HostView(
                        record: $0.record, report: $0.report, presence: HostPresence($0.record),
                        running: $0.running)
                }
            }
        case .directory(let path):
            guard let presence = try SQLiteStore.host(of: path) else { return [] }
            return try read { (store) throws(StoreFault) in
                let record = try store.hosts().first
                return [
                    HostView(
                        record: record,
                        report: try record.flatMap { (host) throws(StoreFault) in
                            try HostReport(of: host, store)
                        }, presence: presence, running: try store.running().map(\.id))
                ]
            }
        }
    }

    /// Returns the first host that uses the store now; nil if there is none, so that no request is launched.
    package func host() throws(StoreFault) -> HostPresence? {
        switch address {
        case .directory(let path): return try SQLiteStore.host(of: path)
        case .server:
            return try read { (store) throws(StoreFault) in
                let hosts = try store.hosts().filter { !$0.isSilent }
                return hosts.first.map { HostPresence($0, others: hosts.count - 1) }
            }
        }
    }

    /// Returns the host that uses the store in a directory, or at a URL; nil if there is none. Of a directory it opens
    /// nothing but its lock.
    package static func host(of directory: String) throws(StoreFault) -> HostPresence? {
        switch try StoreAddress(directory) {
        case .directory(let path): try SQLiteStore.host(of: path)
        case .server: try StoreClient(directory: directory).host()
        }
    }

    /// A setting of the store that puts acknowledged requests at risk, for people: lower case, no full stop; nil if none is
    /// known.
    package var warning: String? { store.warning }

    /// Nanoseconds by which the clock of the store's server is ahead of this machine's; 0 if they are near enough, and for a
    /// store in a directory.
    package var wallOffset: Int64 { (store as? PostgresStore)?.clock.nanoseconds ?? 0 }

    /// Has a host of a store on a server launch nothing more, or launch again. Returns false if it has left.
    package func setDrained(_ isDrained: Bool, of host: Int64) throws(StoreFault) -> Bool {
        try write { (_, store) throws(StoreFault) in try store.setDrained(isDrained, of: host) }
    }
}

extension HostPresence {
    fileprivate init(_ record: HostRecord, others: Int = 0) {
        self.init(
            process: record.identity.process, machine: record.machine, since: record.since,
            others: others)
    }
}
