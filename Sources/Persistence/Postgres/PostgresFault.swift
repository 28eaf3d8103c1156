// SPDX-License-Identifier: Apache-2.0
internal import CPostgres
internal import Scheduling

/// What a fault of the server or of a connection means for a store. Conditions are in PostgreSQL's
/// documentation, appendix A.
enum PostgresFault {
    static func outOfMemory(_ address: PostgresAddress) -> StoreFault {
        StoreFault(.io, "there is no memory for a connection to \(address.text)")
    }

    /// The server was not reached, or has not let this program in.
    static func unconnected(_ handle: OpaquePointer, _ address: PostgresAddress) -> StoreFault {
        let message = text(cpg_message(handle))
        if cpg_needs_password(handle) {
            return StoreFault(
                .denied,
                "\(address.text) asks for a password, and there is none for \(who(handle)): put a line HOST:PORT:DATABASE:USER:PASSWORD into ~/.pgpass (mode 600), or set PGPASSFILE or PGPASSWORD"
            )
        }
        if cpg_used_password(handle), message.contains("password authentication failed") {
            return StoreFault(
                .denied,
                "\(address.text) does not take the password of \(who(handle)); it is from the URL, PGPASSWORD, or ~/.pgpass"
            )
        }
        // libpq tells the server's message, and not its condition.
        if message.contains("read-only") || message.contains("recovery") {
            return StoreFault(
                .readOnly,
                "\(address.text) takes no writes (\(message)): name the primary, or all servers: host=a,b"
            )
        }
        let isRefused = message.contains("FATAL:") && !isPassing(message)
        return StoreFault(isRefused ? .denied : .unreachable, "\(address.text): \(message)")
    }

    /// What the server says while it starts, stops, or has no place.
    private static func isPassing(_ message: String) -> Bool {
        [
            "starting up", "shutting down", "not yet accepting", "too many", "remaining connection",
            "terminating",
        ].contains { message.contains($0) }
    }

    static func silent(_ host: String?, _ address: PostgresAddress) -> StoreFault {
        StoreFault(
            .unreachable,
            "\(host.map { "\($0) of " } ?? "")\(address.text) does not answer; look for the server, and for what is between it and this machine"
        )
    }

    static func lost(_ handle: OpaquePointer, _ address: PostgresAddress) -> StoreFault {
        StoreFault(
            .unreachable, "the connection to \(address.text) was lost: \(text(cpg_message(handle)))"
        )
    }

    /// A pooler answers in the server's place. Settings of a session and prepared statements would come to others,
    /// and the tables of another store might be used.
    static func pooled(_ address: PostgresAddress) -> StoreFault {
        StoreFault(
            .denied,
            "\(address.text) is a pooler such as PgBouncer, and not the server: add the parameter curfew.pooled=1 to the URL, or name the server itself"
        )
    }

    /// The server has refused a statement.
    static func refused(
        _ result: OpaquePointer, _ query: PostgresQuery?, _ address: PostgresAddress
    ) -> StoreFault {
        let state = text(cpg_result_state(result))
        let message = text(cpg_result_message(result))
        let place = address.text
        if query == .fence, state.utf8.elementsEqual("22012".utf8) {
            return StoreFault(
                .fenced,
                "\(place): this host was silent for too long, and others have taken over its requests"
            )
        }
        switch state {
        case "55P03", "57014", "40001", "40P01":
            return StoreFault(
                .busy, "\(place): another program had what was needed for too long (\(message))")
        case "53100":
            return StoreFault(.full, "\(place): the disk of the server is full (\(message))")
        case "25006":
            return StoreFault(.readOnly, "\(place) takes no writes (\(message))")
        case "42501":
            return StoreFault(
                .denied,
                "\(place): \(message); type, as the owner of the database: \(grants(message, address))"
            )
        // A prepared statement that is not there, or is there twice.
        case "26000", "42P05": return pooled(address)
        case "3F000", "42P01":
            return StoreFault(
                .gone,
                "\(place): the tables of the store in schema \(address.schema) are not there (\(message)); restore a backup, or name another schema"
            )
        default: break
        }
        let classes: [(String, StoreFault.Kind)] = [
            ("08", .unreachable), ("57P", .unreachable), ("53", .unreachable), ("28", .denied),
            ("3D", .denied), ("22", .corrupt), ("XX", .io), ("58", .io),
        ]
        let kind = classes.first { state.begins(with: $0.0) }?.1 ?? .io
        let asked = query.map { ", asked for \($0)" } ?? ""
        return StoreFault(kind, "\(place): \(message) (\(state)\(asked))")
    }

    /// The statements that give a user what it lacks.
    private static func grants(_ message: String, _ address: PostgresAddress) -> String {
        func quoted(_ name: String?, or placeholder: String) -> String {
            guard let name else { return placeholder }
            let parts = name.split(separator: "\"", omittingEmptySubsequences: false)
            return "\"\(parts.joined(separator: "\"\""))\""
        }
        let user = address.parameters["user"]
        let to = "TO \(quoted(user, or: "USER"))"
        // The schema is not there yet.
        guard !message.contains("for database") else {
            let database = address.parameters["dbname"] ?? user
            return "GRANT CREATE ON DATABASE \(quoted(database, or: "DATABASE")) \(to)"
        }
        let schema = "SCHEMA \(address.schema) \(to)"
        return
            "GRANT ALL ON \(schema); GRANT ALL ON ALL TABLES IN \(schema); GRANT ALL ON ALL SEQUENCES IN \(schema)"
    }

    private static func who(_ handle: OpaquePointer) -> String {
        "user \(text(cpg_user(handle))) of database \(text(cpg_database(handle)))"
    }

    /// One line, without the end that libpq gives it.
    private static func text(_ bytes: UnsafePointer<CChar>?) -> String {
        guard let bytes else { return "" }
        return String(cString: bytes).split(separator: "\n").map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }.joined(separator: "; ")
    }
}
