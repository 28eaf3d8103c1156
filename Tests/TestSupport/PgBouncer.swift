// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// A PgBouncer before a server of PostgreSQL, which gives each transaction any of its few connections. It ends with
/// this process, and has its socket in a directory of its own.
package final class PgBouncer: @unchecked Sendable {
    // Sendable: the process is not used after it was started, and the pipe is only kept open.

    /// Where Debian has it; nil where it is not installed.
    package static let program: String? = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private static let pooler = Result { try PgBouncer(before: .shared) }

    /// The one that all tests of this process share, before the server that they share.
    package static var shared: PgBouncer { get throws { try pooler.get() } }

    private let server: PostgresServer
    /// The directory of its socket.
    let directory: String
    private let process = Process()
    private let life = Pipe()

    private init(before server: PostgresServer) throws {
        guard let program = Self.program else {
            throw TestFault(text: "PgBouncer is not installed")
        }
        self.server = server
        let place = FileManager.default.temporaryDirectory.path
        var template = Array("\(place)/curfew-pgb-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFault(text: "no directory was made") }
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Connections in turn, so that no client gets the same one twice by chance.
        let settings = """
            [databases]
            postgres = host=\(server.directory) dbname=postgres user=curfew
            [pgbouncer]
            pool_mode = transaction
            default_pool_size = 4
            server_round_robin = 1
            auth_type = any
            listen_addr =
            listen_port = 5432
            unix_socket_dir = \(directory)
            logfile = \(directory)/log

            """
        try settings.write(toFile: directory + "/ini", atomically: false, encoding: .utf8)
        // It refuses to run as root.
        if getuid() == 0 { _ = try ChildProcess.run("chown", ["-R", "nobody:nogroup", directory]) }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            PostgresServer.asOther + [
                "sh", "-c",
                """
                "$2" -q "$1/ini" &
                # It has no way to say that it is ready.
                tries=0
                until psql -X -q -h "$1" -U curfew -c '' postgres 2> /dev/null; do
                    tries=$((tries + 1))
                    [ $tries -lt 200 ] && kill -0 $! && sleep 0.05 || exit 1
                done
                echo ready
                # Until this process ends. The signals that its threads block stay blocked in a child.
                cat > /dev/null
                kill -KILL $!
                rm -rf "$1"
                """, "sh", directory, program,
            ]
        let output = Pipe()
        process.standardInput = life
        process.standardOutput = output
        try process.run()
        guard let line = try output.fileHandleForReading.read(upToCount: 6),
            String(decoding: line, as: UTF8.self) == "ready\n"
        else {
            let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
            throw TestFault(text: "PgBouncer does not start: \(log)")
        }
    }

    /// The URL of a store behind it.
    package func url(schema: String, _ parameters: String = "") -> String {
        server.url(schema: schema, parameters)
            .replacingOccurrences(of: server.directory, with: directory)
    }
}
