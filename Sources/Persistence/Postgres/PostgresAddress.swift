// SPDX-License-Identifier: Apache-2.0
internal import CPostgres
internal import Glibc
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
    /// The URL without passwords, for people, and for the commands that they are told to type.
    package let text: String
    /// Identifies the store: server, database and schema, without the user, passwords and other parameters.
    package let key: String

    /// Returns whether a store is named by a URL; everything else names a directory.
    package static func isAddress(_ text: String) -> Bool {
        text.begins(with: "postgresql://") || text.begins(with: "postgres://")
    }

    /// Reads a URL. Throws `.denied` where it is malformed, or libpq is not there.
    package init(_ url: String) throws(StoreFault) {
        try self.init(url, environment: Self.environment)
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// - Parameter environment: returns a variable that libpq reads where the URL says nothing.
    init(_ url: String, environment: (String) -> String?) throws(StoreFault) {
        try Self.check(url)
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
        parameters = Self.completed(given, environment)
        self.schema = schema
        self.isPooled = isPooled
        self.lease = lease * 1_000_000_000
        text = Self.withoutPasswords(url)
        key =
            (["host", "hostaddr", "port", "service"].map { given[$0] ?? "" }
            + [given["dbname"] ?? given["user"] ?? "", schema]).joined(separator: "\n")
    }

    private static let usualLease: UInt64 = 30
    /// Seconds. A shorter one ends hosts whose disk or network is slow for a moment.
    private static let leaseRange: ClosedRange<UInt64> = 3...3_600

    // MARK: Reading

    /// Throws if a part of a password could be taken for another part of the URL, and shown.
    private static func check(_ url: String) throws(StoreFault) {
        let start = self.start(of: url)
        let before = url[start...].prefix { $0 != "?" }
        let authority = before.prefix { $0 != "/" }
        let signs = before.count { $0 == "@" }
        guard signs <= 1, signs == authority.count(where: { $0 == "@" }) else {
            throw malformed(
                "it has an @ that does not end a user and a password; a special character in these is written as %40 for @, %2F for /, %3A for : and %3F for ?"
            )
        }
        let hosts = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        for host in hosts.split(separator: ",") {
            // An address of IPv6 has colons, and brackets around them.
            let rest = host.lastIndex(of: "]").map { host[$0...] } ?? host
            let port = rest.split(separator: ":", omittingEmptySubsequences: false).dropFirst()
            guard port.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
                throw malformed("what follows a : after its host is no number of a port")
            }
        }
    }

    private static func start(of url: String) -> String.Index {
        url.utf8.firstIndex(of: UInt8(ascii: ":")).map { url.index($0, offsetBy: 3) }
            ?? url.startIndex
    }

    /// Leaves passwords out, and all else as it is. The URL was checked.
    private static func withoutPasswords(_ url: String) -> String {
        let start = self.start(of: url)
        let mark = url.firstIndex(of: "?") ?? url.endIndex
        var text = String(url[..<start])
        if let sign = url[start..<mark].firstIndex(of: "@") {
            text += url[start..<sign].prefix { $0 != ":" } + url[sign..<mark]
        } else {
            text += url[start..<mark]
        }
        let query = url[mark...].dropFirst().split(separator: "&").filter { word in
            !["password", "sslpassword"].contains(word.prefix { $0 != "=" })
        }
        return query.isEmpty ? text : text + "?" + query.joined(separator: "&")
    }

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
            throw malformed(unknownParameter(of: url) ?? "libpq cannot read it")
        }
        return found.parameters
    }

    /// Says which parameter of a URL libpq does not know; nil if that is not what is wrong.
    private static func unknownParameter(of url: String) -> String? {
        guard let mark = url.firstIndex(of: "?") else { return nil }
        for word in url[url.index(after: mark)...].split(separator: "&") {
            let name = word.prefix { $0 != "=" }
            var reason: UnsafeMutablePointer<CChar>?
            defer { cpg_free(reason) }
            // Without a value it may be a part of something else.
            guard name.endIndex < word.endIndex,
                name.utf8.allSatisfy({ (97...122).contains($0) || $0 == 95 }),
                !cpg_parse("postgresql:///?\(name)=1", nil, { _, _, _ in }, &reason)
            else { continue }
            return "libpq knows no parameter \(name)"
        }
        return nil
    }

    private static func malformed(_ what: String) -> StoreFault {
        StoreFault(
            .denied,
            "the store's URL is malformed: \(what); it has the form postgresql://USER@HOST:PORT/DATABASE?NAME=VALUE, with %20 and the like for special characters"
        )
    }

    /// Adds defaults for what neither the URL nor the environment sets.
    private static func completed(
        _ given: [String: String], _ environment: (String) -> String?
    ) -> [String: String] {
        var all = given
        func set(_ name: String, _ value: String, unless variable: String? = nil) {
            guard all[name] == nil, variable.flatMap(environment) == nil else { return }
            all[name] = value
        }
        set("connect_timeout", "5", unless: "PGCONNECT_TIMEOUT")
        set("target_session_attrs", "read-write", unless: "PGTARGETSESSIONATTRS")
        set("gssencmode", "disable", unless: "PGGSSENCMODE")
        set("keepalives_idle", "5")
        set("keepalives_interval", "3")
        set("keepalives_count", "3")
        set("tcp_user_timeout", "10000")
        all["client_encoding"] = "UTF8"
        set("fallback_application_name", "curfew")
        // A parameter set here overrides the service file, which may name the server and its encryption.
        guard all["service"] ?? environment("PGSERVICE") == nil else { return all }
        // libpq connects to an address rather than to a name, wherever it is from.
        let hosts =
            all["hostaddr"] ?? environment("PGHOSTADDR") ?? all["host"] ?? environment("PGHOST")
            ?? ""
        let isNear = hosts.split(separator: ",").allSatisfy {
            $0.begins(with: "/") || $0.begins(with: "@") || $0 == "localhost" || $0 == "127.0.0.1"
                || $0 == "::1"
        }
        if !isNear { set("sslmode", "require", unless: "PGSSLMODE") }
        return all
    }
}
