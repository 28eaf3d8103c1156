// SPDX-License-Identifier: Apache-2.0

/// A store that one host at a time may use, which its lock sees to, keeps that host in a value.
extension StoreTransaction {
    private static var standing: String { "host-report" }

    package func claim(_ id: RequestID, of queue: RequestQueue, at date: Int64) -> RequestID? { id }

    package func runningCount(of identifier: String) -> Int { 0 }

    package func running(in host: HostIdentity) throws(StoreFault) -> [Request] { try running() }

    package func orphans() throws(StoreFault) -> [Request] {
        try hosts().isEmpty ? running() : []
    }

    private func note() throws(StoreFault) -> HostNote? { try value(.host) { HostNote($0) } }

    package func hosts() throws(StoreFault) -> [HostRecord] {
        guard let note = try note(), !note.isStopped else { return [] }
        return [HostRecord(id: 1, identity: note.host, since: note.since)]
    }

    package func enter(_ host: HostRecord) throws(StoreFault) -> Int64 {
        try setValue(
            .host, HostNote(host: host.identity, since: host.since, isStopped: false).bytes)
        return 1
    }

    package func leave(_ host: HostRecord, at date: Int64) throws(StoreFault) -> Bool {
        guard let note = try note(), !note.isStopped, note.host == host.identity else {
            return false
        }
        try setValue(
            .host, HostNote(host: host.identity, since: date, isStopped: true).bytes)
        return true
    }

    package func setDrained(_ isDrained: Bool, of host: Int64) -> Bool { false }

    package func lastSeen() throws(StoreFault) -> Int64? { try note()?.since }

    package func standing(of host: HostRecord) throws(StoreFault) -> [UInt8]? {
        try value(Self.standing)
    }

    package func setStanding(_ bytes: [UInt8], of host: HostRecord) throws(StoreFault) {
        try setValue(Self.standing, bytes)
    }
}
