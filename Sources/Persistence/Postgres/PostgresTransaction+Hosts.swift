// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension PostgresTransaction {
    func hosts() throws(StoreFault) -> [HostRecord] {
        var hosts: [HostRecord] = []
        for row in try ask(.hosts).rows { hosts.append(try HostRow.host(at: row, in: path)) }
        return hosts
    }

    func enter(_ host: HostRecord) throws(StoreFault) -> Int64 {
        checkMayWrite()
        let answer = try ask(.enter) { HostRow.put(host, to: $0) }
        entered = answer[0].integer(0)
        return answer[0].integer(0)
    }

    func leave(_ host: HostRecord, at date: Int64) throws(StoreFault) -> Bool {
        checkMayWrite()
        try change(.lockHost) { $0.put(host.id) }
        let answer = try ask(.leave) {
            $0.put(host.id)
            $0.put(host.beat)
            $0.put(date)
            // Its own beats are no reason not to leave.
            $0.put(self.host)
        }
        return answer.changes == 1
    }

    func setDrained(_ isDrained: Bool, of host: Int64) throws(StoreFault) -> Bool {
        checkMayWrite()
        let answer = try ask(.drain) {
            $0.put(host)
            $0.put(isDrained ? "t" : "f")
        }
        return answer.changes == 1
    }

    func lastSeen() throws(StoreFault) -> Int64? { try ask(number: .lastSeen) }

    func standing(of host: HostRecord) throws(StoreFault) -> [UInt8]? {
        let answer = try ask(.standing) { $0.put(host.id) }
        return answer.count > 0 && !answer[0].isNull(0) ? answer[0].bytes(0) : nil
    }

    func setStanding(_ bytes: [UInt8], of host: HostRecord) throws(StoreFault) {
        try change(.setStanding) {
            $0.put(host.id)
            $0.put(bytes)
        }
    }

    func running(in host: HostIdentity) throws(StoreFault) -> [Request] {
        try list(.runningIn, locking: .lockRunningIn) {
            $0.put(host.boot)
            $0.put(Int64(host.process))
            $0.put(Int64(bitPattern: host.start))
        }
    }

    func orphans() throws(StoreFault) -> [Request] {
        let found = try list(.orphans, locking: .lockOrphans)
        guard mayWrite, !found.isEmpty else { return found }
        // While the statement waited for one row, another host may have launched a later one again: the server does not
        // evaluate NOT EXISTS anew. All are locked now, so that a second look is right.
        let still = try Set(ask(.orphans).rows.map { RequestID(rawValue: UInt64($0.integer(0))) })
        return found.filter { still.contains($0.id) }
    }
}
