// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A server of PostgreSQL of this process's own, which ends with it, and has its socket in its directory.
package final class PostgresServer: @unchecked Sendable {
    // Sendable: the process is not used after it was started, and the pipe is only kept open.

    /// Where Debian has the newest one; nil where none is installed.
    package static let programs: String? = {
        let place = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        return versions.compactMap { Int($0) }.filter {
            FileManager.default.isExecutableFile(atPath: "\(place)/\($0)/bin/postgres")
        }.max().map { "\(place)/\($0)/bin" }
    }()

    private static let server = Result { try PostgresServer() }
    private static let schemas = Atomic<Int>(0)

    /// The one that all tests of this process share.
    package static var shared: PostgresServer { get throws { try server.get() } }

    /// The words of a command that controls it, as the user that it runs as; what is to be done follows.
    package var control: [String] {
        Self.asOther + [
            Self.programs! + "/pg_ctl", "-D", directory + "/data", "-l", directory + "/log", "-w",
            "-s", "-m", "immediate",
        ]
    }

    /// It refuses to run as root, and to be made by a user without a name.
    static let asOther =
        getuid() == 0 ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] : []

    /// The directory of its data and of its socket.
    package let directory: String
    private let process = Process()
    private let life = Pipe()

    /// - Parameters:
    ///   - syncs: whether it writes its log through to the disk, which tests need that end it.
    ///   - primary: the server that this one is a standby of, until it is promoted.
    package init(
        syncs: Bool = false, settings: [String] = [], standbyOf primary: PostgresServer? = nil
    ) throws {
        guard let programs = Self.programs else {
            throw TestFault(text: "PostgreSQL is not installed")
        }
        let place = FileManager.default.temporaryDirectory.path
        var template = Array("\(place)/curfew-pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFault(text: "no directory was made") }
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let all = ["-c fsync=\(syncs ? "on" : "off")"] + settings.map { "-c \($0)" }
        if getuid() == 0 { _ = try ChildProcess.run("chown", ["nobody:nogroup", directory]) }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            Self.asOther + [
                "sh", "-c",
                """
                cd "$1" && chmod 755 . &&
                if test -n "$3"; then
                    "$2/pg_basebackup" -h "$3" -U curfew -D "$1/data" -R -X stream --no-sync \
                        --checkpoint=fast > "$1/log" 2>&1
                else
                    "$2/initdb" --no-sync -A trust -U curfew -D "$1/data" --locale=C.UTF-8 -E UTF8 \
                        > "$1/log" 2>&1 &&
                    sed -i '1i local all locked scram-sha-256' "$1/data/pg_hba.conf"
                fi &&
                "$2/pg_ctl" -D "$1/data" -l "$1/log" -w -s \
                    -o "-k $1 -c listen_addresses= -c max_connections=200 \(all.joined(separator: " "))" \
                    start > /dev/null && echo ready || exit 1
                # Until this process ends.
                cat > /dev/null
                "$2/pg_ctl" -D "$1/data" -m immediate -s stop
                rm -rf "$1"
                """, "sh", directory, programs, primary?.directory ?? "",
            ]
        let output = Pipe()
        process.standardInput = life
        process.standardOutput = output
        try process.run()
        guard let line = try output.fileHandleForReading.read(upToCount: 6),
            String(decoding: line, as: UTF8.self) == "ready\n"
        else {
            let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
            throw TestFault(text: "PostgreSQL does not start: \(log)")
        }
    }

    /// The URL of a store of its own, which does not exist yet.
    package func url(_ parameters: String = "", standby: PostgresServer? = nil) -> String {
        let number = Self.schemas.add(1, ordering: .relaxed).newValue
        return url(schema: "store\(number)", parameters, standby: standby)
    }

    /// - Parameters:
    ///   - user: a role; that of `locked` has to give its password.
    ///   - standby: a server that may take its place.
    package func url(
        schema: String, _ parameters: String = "", user: String = "curfew",
        database: String = "postgres", standby: PostgresServer? = nil
    ) -> String {
        let place = directory + (standby.map { "," + $0.directory } ?? "")
        return
            "postgresql://\(user)@/\(database)?host=\(place)&curfew.schema=\(schema)\(parameters)"
    }

    /// Runs a statement by psql, and returns its rows, with | between the columns.
    @discardableResult
    package func run(_ statement: String) throws -> [String] {
        let run = try ChildProcess.run(
            "psql",
            [
                "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", directory, "-U", "curfew",
                "postgres", "-c", statement,
            ])
        guard run.succeeded else { throw TestFault(text: "psql: \(run)") }
        return run.output.split(separator: "\n").map(String.init)
    }

    /// Runs a script by psql, and returns its rows and what it says.
    package func run(script: String) throws -> [String] {
        let run = try ChildProcess.run(
            "psql",
            [
                "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", directory, "-U", "curfew",
                "postgres", "-f", "-",
            ], input: script)
        guard run.succeeded else { throw TestFault(text: "psql: \(run)") }
        return run.output.split(separator: "\n").map(String.init)
    }
}
