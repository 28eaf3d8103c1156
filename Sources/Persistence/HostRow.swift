// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// A host as a row of its table.
enum HostRow {
    /// Puts the columns but the number and the beat.
    static func put(_ host: HostRecord, to row: some RowSink) {
        row.put(host.identity.boot)
        row.put(Int64(host.identity.process))
        row.put(Int64(bitPattern: host.identity.start))
        row.put(host.machine)
        row.put(Int64(bitPattern: host.space))
        row.put(host.since)
        row.put(Int64(clamping: host.lease))
        row.put(host.isDrained ? "t" : "f")
        row.put(PostgresSchema.version)
        row.put(host.release)
    }

    /// Reads the columns of `PostgresSchema.host` and `hostAddition`, and the silence.
    static func host(at row: some StoredRow, in path: String) throws(StoreFault) -> HostRecord {
        var row = RowReader(row, of: "host", id: row.integer(0), in: path)
        let id = try row.integer(1 ... .max)
        let identity = HostIdentity(
            boot: try row.text(),
            process: Int32(try row.integer(Int64(Int32.min)...Int64(Int32.max))),
            start: try row.bits())
        return HostRecord(
            id: id, identity: identity, machine: try row.text(), space: try row.bits(),
            since: try row.date(), lease: UInt64(try row.integer(0 ... .max)),
            beat: try row.integer(0 ... .max), isDrained: try row.text() == "t",
            knows: try row.integer(1 ... .max), release: try row.text(),
            silence: try row.optional(.min ... .max).map { UInt64(max(0, $0)) })
    }
}
