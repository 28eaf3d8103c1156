// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Brings the tables of a store on a server to the version that this program needs.
///
/// A step that expands leaves the hosts of the version before at work; one that does not waits until they have left.
package struct PostgresMigration: Equatable, Sendable {
    /// The versions of the tables, before and after.
    package let from: Int64
    package let to: Int64

    /// Takes all steps that are left, or none.
    ///
    /// Throws `.denied` if this user may not change the tables, or a host that knows an older version than the tables
    /// would need is there; `.busy` if somebody uses the tables for more than 5 seconds; `.absent` if there are none.
    ///
    /// - Parameter isRehearsal: takes the steps, and takes them back.
    package static func run(
        _ address: PostgresAddress, isRehearsal: Bool = false
    ) throws(StoreFault) -> PostgresMigration {
        try run(address, PostgresSchema.steps, isRehearsal: isRehearsal)
    }

    static func run(
        _ address: PostgresAddress, _ steps: [PostgresSchema.Step], isRehearsal: Bool = false
    ) throws(StoreFault) -> PostgresMigration {
        let connection = try PostgresConnection.open(address)
        guard try PostgresStore.isThere(connection) else {
            throw PostgresStore.absent(address)
        }
        try connection.send(text: "BEGIN")
        do throws(StoreFault) {
            // What waits for a lock on a table keeps all others from it.
            try connection.send(text: "SET LOCAL lock_timeout = '5s'")
            try lock(connection)
            let migration = try take(steps, connection)
            try connection.send(text: isRehearsal ? "ROLLBACK" : "COMMIT")
            try connection.sync()
            return migration
        } catch {
            if !connection.isBroken {
                _ = try? connection.send(text: "ROLLBACK")
                try? connection.sync()
            }
            throw error
        }
    }

    /// Keeps others from changing the tables until the end of the transaction.
    static func lock(_ connection: PostgresConnection) throws(StoreFault) {
        try connection.send(
            text:
                "SELECT pg_advisory_xact_lock(1131570534, hashtext('\(connection.address.schema)'))"
        )
    }

    private static func take(
        _ steps: [PostgresSchema.Step], _ connection: PostgresConnection
    ) throws(StoreFault) -> PostgresMigration {
        let schema = connection.address.schema
        let answer = try connection.send(text: "SELECT version, oldest FROM \(schema).store")
        try connection.sync()
        let (version, oldest) = (answer[0].integer(0), answer[0].integer(1))
        if oldest > steps[steps.count - 1].version {
            throw PostgresStore.newer(connection.address, version, oldest)
        }
        var now = version
        for step in steps where step.version > version {
            if step.oldest > oldest { try end(hostsBefore: step.oldest, now, connection) }
            try take(step, connection)
            now = step.version
        }
        return PostgresMigration(from: version, to: now)
    }

    /// Ends the hosts that do not know a version and were silent for their whole lease: if one comes back, it must not use
    /// the tables. Throws if there is one that was not silent.
    private static func end(
        hostsBefore version: Int64, _ now: Int64, _ connection: PostgresConnection
    ) throws(StoreFault) {
        // Tables of the first version know no more of a host than that it is there.
        let condition =
            now > 1
            ? "knows < \(version) AND (beaten_at IS NULL OR extract(epoch FROM clock_timestamp() - beaten_at) * 1e9 < lease)"
            : "true"
        let hosts = try connection.send(
            text:
                "SELECT id, machine, process FROM \(connection.address.schema).host WHERE ended_at IS NULL AND \(condition) ORDER BY id LIMIT 1"
        )
        try connection.sync()
        guard hosts.count > 0 else {
            guard now > 1 else { return }
            // Their turns that are under way come first.
            try connection.send(
                text:
                    "SELECT FROM \(connection.address.schema).host WHERE ended_at IS NULL AND knows < \(version) FOR UPDATE"
            )
            try connection.send(
                text:
                    "UPDATE \(connection.address.schema).host SET ended_at = \(PostgresQuery.now) WHERE ended_at IS NULL AND knows < \(version)"
            )
            return
        }
        let host = hosts[0]
        throw StoreFault(
            .denied,
            "\(connection.address.text): host \(host.integer(0)) (process \(host.integer(2)) on \(host.text(1) ?? "")) is of an older Curfew, which would not know the tables any more: stop it, or start it again with this Curfew; nothing was changed"
        )
    }

    /// Takes a step in the transaction of a connection.
    static func take(
        _ step: PostgresSchema.Step, _ connection: PostgresConnection
    ) throws(StoreFault) {
        try connection.send(
            text: "SELECT set_config('search_path', '\(connection.address.schema)', true)")
        for statement in step.statements.split(separator: ";") {
            try connection.send(text: String(statement))
        }
        try connection.send(
            text: "UPDATE store SET version = \(step.version), oldest = \(step.oldest)")
    }
}
