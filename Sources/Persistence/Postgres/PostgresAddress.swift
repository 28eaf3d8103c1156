// SPDX-License-Identifier: Apache-2.0
internal import CPostgres
package import Scheduling

/// The address of a store on a server of PostgreSQL: a URL as libpq reads it, and parameters of ours, which
/// begin with `curfew.`.
package struct PostgresAddress: Hashable, Sendable {
    /// What libpq is to connect with, by its names.
    let parameters: [String: String]
    /// The schema whose tables are the store.
    package let schema: String
    /// A pooler between here and the server gives each transaction another connection, so that nothing may
    /// depend on one.
    package let isPooled: Bool
    /// The nanoseconds without a beat after which others take a host's requests over.
    package let lease: UInt64
    /// The URL without a password, for people.
    package let text: String

    /// Returns whether a store is named by a URL; everything else names a directory.
    package static func isAddress(_ text: String) -> Bool {
        text.begins(with: "postgresql://") || text.begins(with: "postgres://")
    }

    /// Reads a URL. Throws `.denied` where it is malformed, or libpq is not there.
    package init(_ url: String) throws(StoreFault) {
        var (schema, isPooled, lease) = ("curfew", false, Self.usualLease)
        let rest = try Self.take(from: url) { name, value throws(StoreFault) in
            switch name {
            case "curfew.schema":
                guard Self.isName(value) else {
                    throw Self.malformed(
                        "curfew.schema is \"\(value)\"; it takes up to 63 letters a to z, digits and underscores, and begins with none of the digits"
                    )
                }
                schema = value
            case "curfew.pooled":
                guard value == "0" || value == "1" else {
                    throw Self.malformed("curfew.pooled is \"\(value)\"; it takes 0 or 1")
                }
                isPooled = value == "1"
            case "curfew.lease":
                guard let seconds = UInt64(value), Self.leaseRange.contains(seconds) else {
                    throw Self.malformed(
                        "curfew.lease is \"\(value)\"; it takes \(Self.leaseRange.lowerBound) to \(Self.leaseRange.upperBound) seconds"
                    )
                }
                lease = seconds
            default:
                throw Self.malformed(
                    "it has \(name), and Curfew's parameters are curfew.schema, curfew.lease and curfew.pooled"
                )
            }
        }
        let given = try Self.parse(rest)
        parameters = Self.completed(given)
        self.schema = schema
        self.isPooled = isPooled
        self.lease = lease * 1_000_000_000
        text = Self.text(given, schema, lease, isPooled)
    }

    private static let usualLease: UInt64 = 30
    /// Seconds. A shorter one ends hosts whose disk or network is slow for a moment.
    private static let leaseRange: ClosedRange<UInt64> = 3...3_600

    // MARK: Reading

    /// Takes parameters of ours out of the URL's query.
    private static func take(
        from url: String, _ each: (String, String) throws(StoreFault) -> Void
    ) throws(StoreFault) -> String {
        guard let mark = url.firstIndex(of: "?") else { return url }
        var others: [Substring] = []
        for word in url[url.index(after: mark)...].split(separator: "&") {
            guard word.begins(with: "curfew.") else {
                others.append(word)
                continue
            }
            let end = word.firstIndex(of: "=") ?? word.endIndex
            try each(String(word[..<end]), String(word[end...].dropFirst()))
        }
        let rest = String(url[..<mark])
        return others.isEmpty ? rest : rest + "?" + others.joined(separator: "&")
    }

    /// Such a name needs no quotes in SQL.
    private static func isName(_ text: String) -> Bool {
        func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
        return (1...63).contains(text.utf8.count) && !isDigit(text.utf8.first!)
            && text.utf8.allSatisfy { isDigit($0) || (97...122).contains($0) || $0 == 95 }
            && !text.begins(with: "pg_")
    }

    private static func parse(_ url: String) throws(StoreFault) -> [String: String] {
        if let reason = PostgresLibrary.fault { throw reason }
        final class Found { var parameters: [String: String] = [:] }
        let found = Found()
        var reason: UnsafeMutablePointer<CChar>?
        let isRead = cpg_parse(
            url, Unmanaged.passUnretained(found).toOpaque(),
            { data, keyword, value in
                Unmanaged<Found>.fromOpaque(data!).takeUnretainedValue()
                    .parameters[String(cString: keyword!)] = String(cString: value!)
            }, &reason)
        defer { cpg_free(reason) }
        guard isRead else {
            // libpq's text may repeat the URL, and with it a password.
            throw malformed("libpq cannot read it")
        }
        return found.parameters
    }

    private static func malformed(_ what: String) -> StoreFault {
        StoreFault(
            .denied,
            "the store's URL is malformed: \(what); it has the form postgresql://USER@HOST:PORT/DATABASE?NAME=VALUE, with %20 and the like for special characters"
        )
    }

    /// Adds defaults for what neither the URL nor the environment sets.
    private static func completed(_ given: [String: String]) -> [String: String] {
        var all = given
        func set(_ name: String, _ value: String) { if all[name] == nil { all[name] = value } }
        set("connect_timeout", "5")
        set("target_session_attrs", "read-write")
        set("gssencmode", "disable")
        set("keepalives_idle", "5")
        set("keepalives_interval", "3")
        set("keepalives_count", "3")
        set("tcp_user_timeout", "10000")
        all["client_encoding"] = "UTF8"
        set("fallback_application_name", "curfew")
        let hosts = (all["host"] ?? "").split(separator: ",")
        let isNear = hosts.allSatisfy {
            $0.begins(with: "/") || $0.begins(with: "@") || $0 == "localhost" || $0 == "127.0.0.1"
                || $0 == "::1"
        }
        if !isNear { set("sslmode", "require") }
        return all
    }

    private static func text(
        _ given: [String: String], _ schema: String, _ lease: UInt64, _ isPooled: Bool
    ) -> String {
        var text = "postgresql://"
        if let user = given["user"] { text += "\(user)@" }
        let host = given["host"] ?? ""
        let isSocket = host.begins(with: "/") || host.begins(with: "@")
        if !isSocket { text += host }
        if let port = given["port"], !isSocket { text += ":\(port)" }
        text += "/" + (given["dbname"] ?? "")
        var query: [String] = []
        if isSocket {
            query.append("host=\(host)")
            if let port = given["port"] { query.append("port=\(port)") }
        }
        if schema != "curfew" { query.append("curfew.schema=\(schema)") }
        if lease != usualLease { query.append("curfew.lease=\(lease)") }
        if isPooled { query.append("curfew.pooled=1") }
        return query.isEmpty ? text : text + "?" + query.joined(separator: "&")
    }
}
