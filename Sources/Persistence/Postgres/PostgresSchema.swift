// SPDX-License-Identifier: Apache-2.0

/// The tables of a store on a server. One schema is one store.
///
/// There is no trigger, function, extension or right of a superuser in it. Texts are compared by their bytes.
/// Dates are nanoseconds since 1970 in UTC. States, marks and reasons have the numbers that they have in all stores.
enum PostgresSchema {
    /// What makes the tables of a version from those of the version before.
    struct Step {
        let version: Int64
        /// The oldest version that works with the tables: if it is not this one, the step expands, and hosts that know
        /// an older version go on.
        let oldest: Int64
        let statements: String
    }

    /// All versions, in order. A step that was released is not changed any more.
    static let steps = [
        Step(version: 1, oldest: 1, statements: creation),
        Step(version: 2, oldest: 1, statements: beats),
        Step(version: 3, oldest: 1, statements: rollups),
    ]
    /// The version of the tables that this program needs.
    static var version: Int64 { steps[steps.count - 1].version }

    /// A column of a table, with its type.
    struct Column {
        let name: String
        let value: ValueType
        var constraint = ""

        var type: String { value.name }
        var isText: Bool { value == .text }
        var definition: String {
            "\(name) \(type)\(isText ? " COLLATE \"C\"" : "")\(constraint.isEmpty ? "" : " \(constraint)")"
        }
    }

    /// The type of a value that is sent in its binary form.
    enum ValueType {
        case integer, small, real, text, bytes, truth

        var name: String {
            switch self {
            case .integer: "bigint"
            case .small: "smallint"
            case .real: "double precision"
            case .text: "text"
            case .bytes: "bytea"
            case .truth: "boolean"
            }
        }

        /// Its number in `pg_type`, which is the same in all servers.
        var number: UInt32 {
            switch self {
            case .truth: 16
            case .bytes: 17
            case .integer: 20
            case .small: 21
            case .text: 25
            case .real: 701
            }
        }
    }

    private static let texts: Set = [
        "identifier", "key", "cron", "pause_boot", "boot", "error", "log", "result",
        "progress_text", "detail", "machine", "release", "trace",
    ]
    private static let reals: Set = ["retry_jitter", "progress"]
    private static let small: Set = [
        "kind", "needs", "priority", "on_pending", "rule", "catch_up", "opportunistic", "state",
        "marks", "reason", "outcome", "what",
    ]
    private static let nullable: Set = [
        "earliest", "latest", "key", "every", "cron", "catch_up", "owner", "trace", "outcome",
        "pause_boot",
        "pause_begun", "pause_length",
    ]

    private static func value(of name: String) -> ValueType {
        if texts.contains(name) { return .text }
        if reals.contains(name) { return .real }
        return small.contains(name) ? .small : .integer
    }

    private static func columns(_ names: String) -> [Column] {
        names.split(separator: ",").map { name in
            let name = String(name.drop { $0 == " " })
            return Column(name: name, value: value(of: name))
        }
    }

    static let described = columns(RequestRow.described)
    static let changing = columns(RequestRow.changing)
    static let host =
        [Column(name: "id", value: .integer, constraint: "PRIMARY KEY")]
        + columns("boot, process, start, machine, space, since, lease, beat")
        + [Column(name: "drained", value: .truth)]
    /// What hosts of the second version say besides.
    static let hostAddition = columns("knows, release")
    static let id = [Column(name: "id", value: .integer)]
    static let payload = [Column(name: "payload", value: .bytes)]
    static let attempt = columns(AttemptRow.all)
    static let attemptEnd = columns("request, launch, " + AttemptRow.ended.joined(separator: ", "))
    static let numberedEntry = columns("turn, n, " + JournalRow.stored)
    /// A request with its payload.
    static let wholeRequest = id + described + changing + payload

    static func names(_ columns: [Column], of table: String = "") -> String {
        columns.map { table.isEmpty ? $0.name : "\(table).\($0.name)" }.joined(separator: ", ")
    }

    /// Rows as a table `v` of those columns. Each of `varying`, as in a statement, is an array; each other one a value that
    /// all rows have.
    static func rows(_ columns: [Column], varying: UInt64) -> String {
        precondition(columns.count <= UInt64.bitWidth && varying & 1 == 1)
        var (names, arrays, selected): ([String], [String], [String]) = ([], [], [])
        for (offset, column) in columns.enumerated() {
            let value = "$\(offset + 1)::\(column.type)"
            if varying >> UInt64(offset) & 1 == 1 {
                names.append(column.name)
                arrays.append("\(value)[]")
                selected.append(column.name)
            } else {
                selected.append("\(value) AS \(column.name)")
            }
        }
        return
            "(SELECT \(selected.joined(separator: ", ")) FROM unnest(\(arrays.joined(separator: ", "))) AS u (\(names.joined(separator: ", ")))) AS v"
    }

    /// The values of one row, of which the first has that number.
    static func row(_ columns: [Column], from first: Int = 1) -> String {
        columns.enumerated().map { "$\(first + $0.offset)::\($0.element.type)" }
            .joined(separator: ", ")
    }

    private static func table(_ columns: [Column], required: Bool) -> String {
        columns.map { column in
            let isRequired = required && !nullable.contains(column.name)
            return column.definition + (isRequired ? " NOT NULL" : "")
        }.joined(separator: ",\n    ")
    }

    /// Makes the tables of a new store, in the schema that is searched first.
    private static let creation = """
        -- Hosts that know an older version than `oldest` leave.
        CREATE TABLE store (version integer NOT NULL, oldest integer NOT NULL);
        INSERT INTO store VALUES (1, 1);

        -- A row is one life of one process. Nothing compares names.
        CREATE TABLE host (
            \(table(host, required: true)),
            ended_at bigint,
            standing bytea
        ) WITH (fillfactor = 50);
        CREATE INDEX host_here ON host (id) WHERE ended_at IS NULL;
        CREATE INDEX host_over ON host (ended_at) WHERE ended_at IS NOT NULL;
        CREATE SEQUENCE host_id;

        CREATE SEQUENCE request_id;
        CREATE SEQUENCE turn_id;
        CREATE SEQUENCE turn_order;

        CREATE TABLE request (
            id bigint PRIMARY KEY,
            \(table(described + changing, required: true)),
            payload bytea
        ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01,
            autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
        -- Long ones are kept apart, where an UPDATE of the row does not copy them.
        ALTER TABLE request ALTER payload SET STORAGE EXTERNAL;
        CREATE INDEX request_pending ON request
            (identifier, kind, needs, priority, opportunistic, at_most, not_before, id) WHERE state = 1;
        CREATE INDEX request_running ON request (identifier, id) WHERE state = 2;
        CREATE INDEX request_parked ON request (id) WHERE state = 3;
        CREATE INDEX request_latest ON request (latest, id)
            WHERE state = 1 AND launches = 0 AND latest IS NOT NULL;
        CREATE INDEX request_key ON request (identifier, key) WHERE key IS NOT NULL;
        CREATE INDEX request_owner ON request (owner, state) WHERE owner IS NOT NULL;
        CREATE INDEX request_history ON request (changed_at, id) WHERE state >= 4;

        CREATE TABLE attempt (
            \(table(columns(AttemptRow.begun), required: true)),
            \(table(columns(AttemptRow.ended.joined(separator: ", ")), required: false)),
            PRIMARY KEY (request, launch)
        ) WITH (fillfactor = 70);

        -- Each transaction that writes has a row. `place` orders them. `first` is the number of the first of its
        -- entries, and is given when somebody asks for entries.
        CREATE TABLE turn (
            id bigint PRIMARY KEY,
            entries bigint NOT NULL,
            place bigint NOT NULL DEFAULT nextval('turn_order'),
            first bigint,
            made timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50);
        CREATE INDEX turn_new ON turn (place) WHERE first IS NULL AND entries > 0;
        CREATE UNIQUE INDEX turn_first ON turn (first) WHERE first IS NOT NULL;
        CREATE INDEX turn_made ON turn (made);
        CREATE TABLE entry (
            turn bigint NOT NULL,
            n bigint NOT NULL,
            at bigint NOT NULL,
            what smallint NOT NULL,
            request bigint,
            identifier text COLLATE "C" NOT NULL,
            launch bigint NOT NULL,
            detail text COLLATE "C" NOT NULL,
            PRIMARY KEY (turn, n)
        );
        CREATE INDEX entry_request ON entry (request, turn, n) WHERE request IS NOT NULL;

        CREATE TABLE schedule (
            name text COLLATE "C" PRIMARY KEY,
            digest text COLLATE "C" NOT NULL,
            request bigint,
            source text COLLATE "C" NOT NULL,
            changed_at bigint NOT NULL
        );
        CREATE TABLE value (name text COLLATE "C" PRIMARY KEY, bytes bytea NOT NULL);
        """

    /// What became of requests, minute by minute and hour by hour. Each host has rows of its own, so that none waits for
    /// another; clients share those of host 0.
    private static let rollups = """
        CREATE TABLE rollup (
            span smallint NOT NULL,
            at bigint NOT NULL,
            identifier text COLLATE "C" NOT NULL,
            host bigint NOT NULL,
            counts bigint[] NOT NULL,
            PRIMARY KEY (span, at, identifier, host)
        ) WITH (fillfactor = 50);
        -- A new store has it.
        ALTER TABLE request ADD COLUMN IF NOT EXISTS trace text COLLATE "C";
        -- Few of the journal: those that say why something was late.
        CREATE INDEX entry_cause ON entry (at) WHERE \(SQLiteSchema.isCause);
        """

    /// When hosts beat, by the server's clock, for people; which version of the tables and of Curfew they know.
    private static let beats = """
        ALTER TABLE host ADD COLUMN beaten_at timestamptz;
        ALTER TABLE host ADD COLUMN knows bigint NOT NULL DEFAULT 1;
        ALTER TABLE host ADD COLUMN release text COLLATE "C" NOT NULL DEFAULT '';
        """
}
