// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// Every statement of a store on a server, so that each is prepared once and all can be looked at.
enum PostgresQuery: Int, CaseIterable {
    case settings, turnSettings, forgetPlans, begin, beginReading, commit, rollback, save, release,
        rollbackToSaved
    case newTurn, newTurns, newRequests, lockIdentifiers, lockScope, endTurn, tombstone,
        turnEntries, lastTurn, underWay
    case endSession, endTransaction, notify
    case insertRequest, insertRequests, updateRequest, updateRequests, redescribeRequests
    case setPayload
    case request, lockRequest, lockGiven, payload, claim, headAfter, cancelledAmong
    case pendingOf, lockPendingOf, firstPending, ahead, find, queues, heads, head
    case firstToMiss, lockFirstToMiss
    case running, lockRunning, owned
    case requests
    case soonestRunning, soonestRunningOf, soonestParked, soonestParkedOf, soonestPending
    case soonestPendingOf, countRunning, countRunningOf, countParked, countParkedOf, countPending
    case countPendingOf, found, countFound, liveCounts, latestOver, countOver, countHistory
    case countKind, countIdentifier, countOwner, countAll
    case putAttempt, putAttempts, endAttempt, endAttempts, removeAttempts, attempt, attempts
    case appendOne, append, lockNumbers, giveNumbers, journal, journalOfRequest, journalLastOf,
        causes
    case lockPruning, prunable, pruneAttempts, pruneRequests
    case journalFirst, journalLast, journalKept, pruneJournal, pruneTurns
    case enter, hosts, beat, drain, poll, fence, lockHost, leave, lastSeen, standing, setStanding,
        pruneHosts
    case runningIn, lockRunningIn, orphans, lockOrphans
    case schedules, schedule, putSchedule, removeSchedule
    case rollups, addRollup, takeRollups, removeRollups
    case value, setValue, removeValue

    /// How many of the first columns of its rows always have a value for each row: those by which a row is found. Where one
    /// of them is a single value, the server may look for that first, and find nearly all rows.
    var keys: Int { self == .endAttempts ? 2 : 1 }

    /// - Parameter varying: the columns that differ among the rows, as in a statement.
    func text(varying: UInt64 = .max) -> String {
        sessionText ?? requestText(varying) ?? listText ?? hostText ?? historyText(varying)
    }

    // MARK: Sessions and transactions

    static let settingList = [
        // With a generic plan a claim is found by its index, whatever the values. Compiling a plan takes longer
        // than any of them.
        ("jit", "off"), ("plan_cache_mode", "force_generic_plan"), ("lock_timeout", "2s"),
        ("statement_timeout", "30s"), ("idle_in_transaction_session_timeout", "5s"),
        // A plan is made once, often while a table is still empty, and has to be right when it is large: rows
        // that are given are looked for by an index, one by one, and not among all that are there.
        ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"),
        ("enable_material", "off"), ("enable_bitmapscan", "off"),
        ("default_transaction_isolation", "read committed"),
        // The forms in which bytes and real numbers are read here.
        ("bytea_output", "hex"), ("extra_float_digits", "1"),
    ]
    /// Within 14 s the server finds out that a client's machine is gone, whose session may have locks: no limit of
    /// its own holds between statements that come together. By default it takes two hours.
    private static let sessionSettingList = [
        ("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "3"),
        ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "10000"),
    ]

    /// Together with the number of its process it names a session.
    private static let sessionStart =
        "(SELECT (extract(epoch FROM backend_start) * 1e6)::bigint FROM pg_stat_activity WHERE pid = pg_backend_pid())"

    private static func end(whose start: String) -> String {
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::integer AND (extract(epoch FROM \(start)) * 1e6)::bigint = $2 AND wait_event_type = 'Client'"
    }

    private static func settings(isLocal: Bool) -> String {
        // Behind a pooler the client of the server is the pooler.
        let list = (settingList + (isLocal ? [] : sessionSettingList)).map {
            "set_config('\($0.0)', '\($0.1)', \(isLocal))"
        }
        return
            "SELECT \(isLocal ? "NULL" : Self.sessionStart), set_config('search_path', $1, \(isLocal)), \(list.joined(separator: ", ")), CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', \(isLocal)) END"
    }

    private var sessionText: String? {
        switch self {
        // A pooler names no process of the server, and nothing may be set in a session that others get, too.
        case .settings: Self.settings(isLocal: false) + " WHERE pg_backend_pid() = $2"
        case .turnSettings: Self.settings(isLocal: true)
        case .forgetPlans: "DISCARD PLANS"
        case .begin: "BEGIN ISOLATION LEVEL READ COMMITTED"
        case .beginReading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        // The innermost of that name is meant.
        case .save: "SAVEPOINT nested"
        case .release: "RELEASE nested"
        case .rollbackToSaved: "ROLLBACK TO nested"
        // With the process of the server and the start of the transaction, in microseconds, which together name it.
        case .newTurn:
            "SELECT nextval('turn_id'), pg_backend_pid(), (extract(epoch FROM now()) * 1e6)::bigint"
        case .newTurns: "SELECT nextval('turn_id') FROM generate_series(1, $1::integer)"
        case .newRequests: "SELECT nextval('request_id') FROM generate_series(1, $1::integer)"
        // Sorted, so that two that lock the same ones wait for each other and not in a circle.
        case .lockIdentifiers:
            "SELECT pg_advisory_xact_lock('store'::regclass::oid::integer, k) FROM (SELECT DISTINCT unnest($1::integer[]) AS k ORDER BY 1) AS sorted"
        case .lockScope:
            "SELECT pg_advisory_xact_lock('turn'::regclass::oid::integer, $1::integer)"
        case .endTurn: "INSERT INTO turn (id, entries) VALUES ($1, $2)"
        // An existing row is written again, so that this commit waits for a synchronous standby as the first one did.
        case .tombstone:
            "INSERT INTO turn (id, entries) VALUES ($1, -1) ON CONFLICT (id) DO UPDATE SET entries = turn.entries"
        case .turnEntries: "SELECT entries FROM turn WHERE id = $1"
        // Only one that waits for its client: a commit that waits for a standby must not be hurried.
        case .endSession: Self.end(whose: "backend_start")
        // Behind a pooler a session is not one's own.
        case .endTransaction: Self.end(whose: "xact_start")
        case .lastTurn: "SELECT last_value FROM turn_order"
        // A transaction takes this lock before it draws a place, and keeps it until it ends.
        case .underWay:
            "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'turn'::regclass AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid() AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
        case .notify: "SELECT pg_notify($1, $2)"
        default: nil
        }
    }

    // MARK: Requests

    private static let all = RequestRow.all
    private static let queue = "identifier, kind, needs, priority, opportunistic, at_most"
    /// Rows of the queue that the first six values name.
    private static let isOfQueue =
        "state = 1 AND identifier = $1 AND kind = $2 AND needs = $3 AND priority = $4 AND opportunistic = $5 AND at_most = $6"

    private func requestText(_ varying: UInt64) -> String? {
        let (described, changing) = (PostgresSchema.described, PostgresSchema.changing)
        let id = PostgresSchema.id
        switch self {
        // One row is much cheaper without arrays.
        case .insertRequest:
            let columns = PostgresSchema.wholeRequest
            return
                "INSERT INTO request (\(PostgresSchema.names(columns))) VALUES (\(PostgresSchema.row(columns)))"
        case .updateRequest:
            return
                "UPDATE request SET (\(PostgresSchema.names(changing))) = ROW(\(PostgresSchema.row(changing, from: 2))) WHERE id = $1"
        case .insertRequests:
            let columns = PostgresSchema.wholeRequest
            return
                "INSERT INTO request (\(PostgresSchema.names(columns))) SELECT \(PostgresSchema.names(columns)) FROM \(PostgresSchema.rows(columns, varying: varying))"
        case .updateRequests:
            return
                "UPDATE request AS r SET (\(PostgresSchema.names(changing))) = (\(PostgresSchema.names(changing, of: "v"))) FROM \(PostgresSchema.rows(id + changing, varying: varying)) WHERE r.id = v.id"
        case .redescribeRequests:
            let columns = described + changing
            return
                "UPDATE request AS r SET (\(PostgresSchema.names(columns))) = (\(PostgresSchema.names(columns, of: "v"))) FROM \(PostgresSchema.rows(id + columns, varying: varying)) WHERE r.id = v.id"
        case .setPayload:
            return "UPDATE request SET (payload, payload_size) = ($1, $2) WHERE id = $3"
        case .request: return "SELECT \(Self.all) FROM request WHERE id = $1"
        case .lockRequest: return "SELECT \(Self.all) FROM request WHERE id = $1 FOR UPDATE"
        case .lockGiven:
            return
                "SELECT \(Self.all) FROM request WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE"
        case .cancelledAmong:
            return
                "SELECT \(Self.all) FROM request WHERE id = ANY ($1::bigint[]) AND marks & \(Request.Marks.cancelled.rawValue) <> 0 ORDER BY id"
        case .headAfter:
            return
                "SELECT id, not_before FROM request WHERE \(Self.isOfQueue) AND not_before > $7 ORDER BY not_before, id LIMIT 1"
        case .payload: return "SELECT payload FROM request WHERE id = $1"
        case .claim:
            return
                "SELECT \(Self.all), payload FROM request WHERE \(Self.isOfQueue) AND not_before <= $7 AND (not_before, id) > ($9, $10) ORDER BY not_before, id LIMIT $8 FOR UPDATE SKIP LOCKED"
        case .pendingOf:
            return "SELECT \(Self.all) FROM request WHERE state = 1 AND identifier = $1"
        case .lockPendingOf:
            return
                "SELECT \(Self.all) FROM request WHERE state = 1 AND identifier = $1 ORDER BY id FOR UPDATE"
        case .firstPending:
            return
                "SELECT id FROM request WHERE state = 1 AND identifier = $1 ORDER BY \(Self.queue), not_before, id LIMIT 1"
        case .ahead:
            return
                "SELECT 1 FROM request WHERE \(Self.isOfQueue) AND (not_before, id) < ($7, $8) LIMIT $9"
        case .find:
            return
                "SELECT \(Self.all) FROM request WHERE identifier = $1 AND key = $2 AND owner IS NOT DISTINCT FROM $3::bigint ORDER BY id DESC LIMIT 1"
        // They jump from one queue to the next, however many requests it has.
        case .queues: return Self.jumping(Self.queue)
        case .heads: return Self.jumping("\(Self.queue), not_before, id")
        case .head:
            return
                "SELECT id, not_before FROM request WHERE \(Self.isOfQueue) ORDER BY not_before, id LIMIT 1"
        case .firstToMiss: return Self.toMiss
        // Whoever has one may launch it, or miss it.
        case .lockFirstToMiss: return "\(Self.toMiss) FOR UPDATE SKIP LOCKED"
        case .running: return "SELECT \(Self.all) FROM request WHERE state = 2 ORDER BY id"
        case .lockRunning:
            return "SELECT \(Self.all) FROM request WHERE state = 2 ORDER BY id FOR UPDATE"
        case .owned: return "SELECT \(Self.all) FROM request WHERE owner = $1 ORDER BY id"
        default: return nil
        }
    }

    /// The first row of each queue, with those columns.
    private static func jumping(_ columns: String) -> String {
        let first = "SELECT \(columns) FROM request WHERE state = 1"
        let order = "ORDER BY \(queue), not_before, id LIMIT 1"
        return
            "WITH RECURSIVE q AS ((\(first) AND identifier >= coalesce($1, '') \(order)) UNION ALL SELECT n.* FROM q, LATERAL (\(first) AND (\(queue)) > (\(queue(of: "q"))) \(order)) AS n WHERE $1 IS NULL OR n.identifier = $1) SELECT * FROM q WHERE $1 IS NULL OR identifier = $1 LIMIT $2"
    }

    private static let toMiss =
        "SELECT \(all) FROM request WHERE state = 1 AND launches = 0 AND latest IS NOT NULL ORDER BY latest, id LIMIT 1"

    private static func queue(of table: String) -> String {
        "identifier, kind, needs, priority, opportunistic, at_most".split(separator: " ")
            .map { "\(table).\($0)" }.joined(separator: " ")
    }

    // MARK: Lists

    private static let isListed =
        "id > $1 AND ($2::integer >> state) & 1 = 1 AND ($3::text IS NULL OR identifier = $3) ORDER BY id LIMIT $4"
    private static let isOver =
        "state >= 4 AND ($1::integer >> state) & 1 = 1 AND ($2::text IS NULL OR identifier = $2) AND (state <> 4 OR ($3::integer >> coalesce(outcome, 0)) & 1 = 1)"

    private static let isFound =
        "($1::integer >> state) & 1 = 1 AND ($2::text IS NULL OR identifier = $2) AND (strpos(identifier, $3) > 0 OR strpos(key, $3) > 0) AND (state <> 4 OR ($4::integer >> coalesce(outcome, 0)) & 1 = 1)"

    // A state that is a value could not be looked for in the index of the one state.
    private static func soonest(_ state: RequestState, ofOne: Bool = false) -> String {
        let order = state == .pending ? "not_before, id" : "id"
        return
            "SELECT \(all) FROM request WHERE state = \(state.rawValue)\(ofOne ? " AND identifier = $2" : "") ORDER BY \(order) LIMIT $1"
    }

    private static func count(_ state: RequestState, ofOne: Bool = false) -> String {
        "SELECT count(*) FROM request WHERE state = \(state.rawValue)\(ofOne ? " AND identifier = $1" : "")"
    }

    /// Returns the query of the first requests in a live state, and that of their number: of an identifier, or of all.
    static func live(
        _ state: RequestState, ofOne: Bool
    ) -> (soonest: PostgresQuery, count: PostgresQuery) {
        switch state {
        case .running:
            ofOne ? (.soonestRunningOf, .countRunningOf) : (.soonestRunning, .countRunning)
        case .parked: ofOne ? (.soonestParkedOf, .countParkedOf) : (.soonestParked, .countParked)
        default: ofOne ? (.soonestPendingOf, .countPendingOf) : (.soonestPending, .countPending)
        }
    }

    private var listText: String? {
        switch self {
        case .requests: "SELECT \(Self.all) FROM request WHERE \(Self.isListed)"
        case .soonestRunning: Self.soonest(.running)
        case .soonestRunningOf: Self.soonest(.running, ofOne: true)
        case .soonestParked: Self.soonest(.parked)
        case .soonestParkedOf: Self.soonest(.parked, ofOne: true)
        case .soonestPending: Self.soonest(.pending)
        case .soonestPendingOf: Self.soonest(.pending, ofOne: true)
        case .countRunning: Self.count(.running)
        case .countRunningOf: Self.count(.running, ofOne: true)
        case .countParked: Self.count(.parked)
        case .countParkedOf: Self.count(.parked, ofOne: true)
        case .countPending: Self.count(.pending)
        case .countPendingOf: Self.count(.pending, ofOne: true)
        // A state has an index.
        case .liveCounts:
            (1...3).map {
                "SELECT identifier, \($0)::bigint, count(*) FROM request WHERE state = \($0) GROUP BY identifier"
            }.joined(separator: " UNION ALL ")
        // A part of a text is in no index.
        case .found:
            "SELECT \(Self.all) FROM request WHERE \(Self.isFound) ORDER BY CASE state WHEN 2 THEN 0 WHEN 3 THEN 1 WHEN 1 THEN 2 ELSE 3 END, CASE WHEN state = 1 THEN not_before WHEN state >= 4 THEN -changed_at END, CASE WHEN state >= 4 THEN -id ELSE id END LIMIT $5"
        case .countFound: "SELECT count(*) FROM request WHERE \(Self.isFound)"
        case .latestOver:
            "SELECT \(Self.all) FROM request WHERE \(Self.isOver) ORDER BY changed_at DESC, id DESC LIMIT $4"
        case .countOver: "SELECT count(*) FROM request WHERE \(Self.isOver)"
        case .countHistory: "SELECT count(*) FROM request WHERE state >= 4"
        case .countKind:
            "SELECT count(*) FROM (SELECT 1 FROM request WHERE state = 1 AND kind = $1 LIMIT $2) AS counted"
        case .countIdentifier:
            "SELECT count(*) FROM (SELECT 1 FROM request WHERE state = 1 AND identifier = $1 LIMIT $2) AS counted"
        case .countOwner:
            "SELECT count(*) FROM (SELECT 1 FROM request WHERE owner = $1 AND state = 1 LIMIT $2) AS counted"
        case .countAll:
            "SELECT count(*) FROM (SELECT 1 FROM request WHERE state = 1 LIMIT $1) AS counted"
        default: nil
        }
    }

    // MARK: Hosts

    private static let host = PostgresSchema.names(PostgresSchema.host)
    /// The server's clock, in nanoseconds since 1970.
    static let now = "(extract(epoch FROM clock_timestamp()) * 1e9)::bigint"
    private static let hostAddition = PostgresSchema.names(PostgresSchema.hostAddition)
    /// Nanoseconds since its last beat, by the server's clock.
    private static let silence =
        "(extract(epoch FROM clock_timestamp() - beaten_at) * 1e9)::bigint AS silence"
    private static let isHere =
        "EXISTS (SELECT FROM attempt AS a JOIN host AS h ON (h.boot, h.process, h.start) = (a.boot, a.process, a.start) WHERE a.request = r.id AND a.launch = r.launches AND h.ended_at IS NULL)"
    private static let runningInHost =
        "SELECT \(PostgresSchema.names(PostgresSchema.id + PostgresSchema.described + PostgresSchema.changing, of: "r")) FROM request AS r JOIN attempt AS a ON a.request = r.id AND a.launch = r.launches WHERE r.state = 2 AND (a.boot, a.process, a.start) = ($1, $2, $3) ORDER BY r.id"
    private static let withoutHost =
        "SELECT \(RequestRow.all) FROM request AS r WHERE state = 2 AND NOT \(isHere) ORDER BY id"

    private var hostText: String? {
        switch self {
        case .enter:
            "INSERT INTO host (\(Self.host), \(Self.hostAddition), beaten_at) VALUES (nextval('host_id'), $1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10, clock_timestamp()) RETURNING id"
        case .hosts:
            "SELECT \(Self.host), \(Self.hostAddition), \(Self.silence) FROM host WHERE ended_at IS NULL ORDER BY id"
        case .beat:
            "UPDATE host SET beat = beat + 1, beaten_at = clock_timestamp() WHERE id = $1 AND ended_at IS NULL"
        case .drain: "UPDATE host SET drained = $2 WHERE id = $1 AND ended_at IS NULL"
        case .poll:
            "SELECT last_value, (SELECT drained FROM host WHERE id = $1), \(Self.now) FROM turn_order"
        // Until the transaction ends, no other host can take this host's requests over. The lock does not conflict with the
        // UPDATE of a beat.
        // Where that is no host any more it is a division by zero, which ends the transaction.
        case .fence:
            "WITH here AS (SELECT FROM host WHERE id = $1 AND ended_at IS NULL FOR KEY SHARE) SELECT 1 / (SELECT count(*) FROM here)"
        // It waits for the turns of the host; an UPDATE without it would not.
        case .lockHost: "SELECT FROM host WHERE id = $1 FOR UPDATE"
        case .leave:
            "UPDATE host SET ended_at = $3 WHERE id = $1 AND ended_at IS NULL AND (lease = 0 OR id = $4 OR beat = $2)"
        case .lastSeen:
            "SELECT max(greatest(since, coalesce(ended_at, since))) FROM host"
        case .standing: "SELECT standing FROM host WHERE id = $1"
        case .setStanding: "UPDATE host SET standing = $2 WHERE id = $1"
        case .pruneHosts: "DELETE FROM host WHERE ended_at < $1"
        case .runningIn: Self.runningInHost
        case .lockRunningIn: "\(Self.runningInHost) FOR UPDATE OF r"
        case .orphans: Self.withoutHost
        case .lockOrphans: "\(Self.withoutHost) FOR UPDATE OF r"
        default: nil
        }
    }

    // MARK: History

    /// Stores attempts whose requests are there, in place of those of the same launches.
    private static func putting(_ rows: String) -> String {
        let columns = PostgresSchema.attempt
        let names = PostgresSchema.names(columns)
        return
            "INSERT INTO attempt (\(names)) SELECT \(rows) ON CONFLICT (request, launch) DO UPDATE SET (\(names)) = (\(PostgresSchema.names(columns, of: "excluded")))"
    }

    /// Entries with their numbers.
    private static let numbered =
        "FROM turn AS t JOIN entry AS e ON e.turn = t.id WHERE t.first IS NOT NULL"
    /// Turns that may have entries from a number on.
    private static func isFrom(_ number: String) -> String {
        "t.first >= coalesce((SELECT first FROM turn WHERE first <= \(number) ORDER BY first DESC LIMIT 1), 0)"
    }
    private static let numberedEntry =
        "SELECT t.first + e.n, \(JournalRow.stored.split(separator: " ").map { "e.\($0)" }.joined(separator: " "))"

    private func historyText(_ varying: UInt64) -> String {
        switch self {
        case .putAttempt:
            return Self.putting(
                "\(PostgresSchema.row(PostgresSchema.attempt)) WHERE EXISTS (SELECT FROM request WHERE id = $1)"
            )
        case .putAttempts:
            return Self.putting(
                "\(PostgresSchema.names(PostgresSchema.attempt)) FROM \(PostgresSchema.rows(PostgresSchema.attempt, varying: varying)) WHERE EXISTS (SELECT FROM request WHERE id = v.request)"
            )
        case .endAttempt:
            let ended = Array(PostgresSchema.attemptEnd.dropFirst(2))
            return
                "UPDATE attempt SET (\(PostgresSchema.names(ended))) = ROW(\(PostgresSchema.row(ended, from: 3))) WHERE request = $1 AND launch = $2"
        case .endAttempts:
            let ended = Array(PostgresSchema.attemptEnd.dropFirst(2))
            return
                "UPDATE attempt AS a SET (\(PostgresSchema.names(ended))) = (\(PostgresSchema.names(ended, of: "v"))) FROM \(PostgresSchema.rows(PostgresSchema.attemptEnd, varying: varying)) WHERE a.request = v.request AND a.launch = v.launch"
        case .removeAttempts: return "DELETE FROM attempt WHERE request = $1 AND launch < $2"
        case .attempt:
            return "SELECT \(AttemptRow.all) FROM attempt WHERE request = $1 AND launch = $2"
        case .attempts:
            return
                "SELECT \(AttemptRow.all) FROM attempt WHERE request = $1 ORDER BY launch DESC LIMIT $2"
        case .appendOne:
            return
                "INSERT INTO entry (\(PostgresSchema.names(PostgresSchema.numberedEntry))) VALUES (\(PostgresSchema.row(PostgresSchema.numberedEntry)))"
        case .append:
            let names = PostgresSchema.names(PostgresSchema.numberedEntry)
            return
                "INSERT INTO entry (\(names)) SELECT \(names) FROM \(PostgresSchema.rows(PostgresSchema.numberedEntry, varying: varying))"
        case .lockNumbers:
            return "SELECT pg_advisory_xact_lock('entry'::regclass::oid::integer, 0)"
        // What was committed gets the numbers after those that were given, in the order of the turns.
        case .giveNumbers:
            return
                "WITH b AS (SELECT coalesce((SELECT first + entries FROM turn WHERE first IS NOT NULL ORDER BY first DESC LIMIT 1), 1) AS next), n AS (SELECT id, sum(entries) OVER (ORDER BY place) - entries AS before FROM turn WHERE first IS NULL AND entries > 0 ORDER BY place LIMIT 10000) UPDATE turn SET first = b.next + n.before FROM b, n WHERE turn.id = n.id"
        case .journal:
            return
                "\(Self.numberedEntry) \(Self.numbered) AND \(Self.isFrom("$1::bigint + 1")) AND t.first + e.n > $1::bigint ORDER BY t.first, e.n LIMIT $2"
        case .journalOfRequest:
            return
                "\(Self.numberedEntry) \(Self.numbered) AND e.request = $3 AND t.first + e.n > $1::bigint ORDER BY t.first, e.n LIMIT $2"
        case .journalLastOf:
            return
                "\(Self.numberedEntry) \(Self.numbered) AND e.request = $1 ORDER BY t.first DESC, e.n DESC LIMIT 1"
        case .causes:
            return
                "\(Self.numberedEntry) \(Self.numbered) AND \(SQLiteSchema.isCause) AND e.at >= $1 AND e.at < $2 ORDER BY e.at, t.first, e.n LIMIT $3"
        // One at a time: two would count the same history, and remove it twice over.
        case .lockPruning:
            return "SELECT pg_try_advisory_xact_lock('request'::regclass::oid::integer, 0)"
        // Locked before it is removed: it may be retried meanwhile, and is history no more then.
        case .prunable:
            return
                "SELECT id FROM request WHERE state >= 4 AND changed_at < $1 ORDER BY changed_at, id LIMIT $2 FOR UPDATE SKIP LOCKED"
        case .pruneAttempts: return "DELETE FROM attempt WHERE request = ANY ($1::bigint[])"
        case .pruneRequests: return "DELETE FROM request WHERE id = ANY ($1::bigint[])"
        case .journalFirst:
            return
                "SELECT t.first + e.n \(Self.numbered) AND \(Self.isFrom("$1")) ORDER BY t.first, e.n LIMIT 1"
        case .journalLast:
            return "SELECT t.first + e.n \(Self.numbered) ORDER BY t.first DESC, e.n DESC LIMIT 1"
        case .journalKept:
            return
                "SELECT t.first + e.n \(Self.numbered) AND t.first < $1::bigint AND t.first + e.n < $1::bigint AND e.at >= $2 AND \(Self.isFrom("$3")) ORDER BY t.first, e.n LIMIT 1"
        case .pruneJournal:
            return
                "DELETE FROM entry AS e USING turn AS t WHERE t.id = e.turn AND t.first < $1::bigint AND t.first + e.n < $1::bigint AND \(Self.isFrom("$2"))"
        // The last one has the number that goes on. Those of the last hour tell whether a transaction was
        // committed whose answer was lost.
        case .pruneTurns:
            return
                "DELETE FROM turn WHERE made < now() - interval '1 hour' AND (entries <= 0 OR first + entries <= $1::bigint AND first < (SELECT max(first) FROM turn))"
        case .rollups:
            return
                "SELECT at, identifier, counts FROM rollup WHERE span = $1 AND at >= $2 AND at < $3 AND ($4::text IS NULL OR identifier = $4) ORDER BY at, identifier"
        case .addRollup:
            return
                "INSERT INTO rollup (span, at, identifier, host, counts) VALUES ($1, $2, $3, $4, $5::bigint[]) ON CONFLICT (span, at, identifier, host) DO UPDATE SET counts = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0) FROM unnest(rollup.counts, excluded.counts) WITH ORDINALITY AS sums (a, b, n) ORDER BY n)"
        // Those that another host takes are left to it.
        case .takeRollups:
            return
                "DELETE FROM rollup WHERE (span, at, identifier, host) IN (SELECT span, at, identifier, host FROM rollup WHERE span = $1 AND at < $2 ORDER BY span, at, identifier, host LIMIT 10000 FOR UPDATE SKIP LOCKED) RETURNING at, identifier, counts"
        case .removeRollups: return "DELETE FROM rollup WHERE span = $1 AND at < $2"
        case .schedules:
            return
                "SELECT \(ScheduleRow.all) FROM schedule ORDER BY name"
        case .schedule:
            return
                "SELECT \(ScheduleRow.all) FROM schedule WHERE name = $1"
        case .putSchedule:
            return
                "INSERT INTO schedule (\(ScheduleRow.all)) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO UPDATE SET (digest, request, source, changed_at) = (excluded.digest, excluded.request, excluded.source, excluded.changed_at)"
        case .removeSchedule: return "DELETE FROM schedule WHERE name = $1"
        case .value: return "SELECT bytes FROM value WHERE name = $1"
        case .setValue:
            return
                "INSERT INTO value (name, bytes) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes"
        case .removeValue: return "DELETE FROM value WHERE name = $1"
        default: fatalError("a query of the store has no text: \(self)")
        }
    }
}
