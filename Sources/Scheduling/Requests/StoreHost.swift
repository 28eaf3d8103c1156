// SPDX-License-Identifier: Apache-2.0

/// A host that uses a store, as a transaction sees it.
package struct StoreHost: Sendable {
    package let record: HostRecord
    /// What it last wrote of itself; nil if it wrote nothing.
    package let report: HostReport?
    /// The requests whose tasks run in it, ordered by number.
    package let running: [RequestID]
    /// Whether it is the host that asks.
    package let isOwn: Bool

    package var phase: StoreHostPhase { StoreHostPhase(record, report) }

    /// Reads the hosts of a store, ordered by number.
    ///
    /// - Parameter own: the number of the host that asks; nil if none does.
    package static func all(
        _ store: any StoreTransaction, own: Int64? = nil
    ) throws(StoreFault) -> [StoreHost] {
        var hosts: [StoreHost] = []
        for record in try store.hosts() {
            hosts.append(
                StoreHost(
                    record: record, report: try HostReport(of: record, store),
                    running: try store.running(in: record.identity).map(\.id),
                    isOwn: record.id == own))
        }
        return hosts
    }
}
