// SPDX-License-Identifier: Apache-2.0

/// Every statement that a transaction runs, so that each is prepared once and all can be looked at.
enum SQLiteQuery: Int, CaseIterable {
    case begin, beginWriting, commit, rollback, save, release, rollbackToSaved
    case counters, firstCounters, setCounters, setFirstCounters
    case insertRequest, insertPayload, request, state, payload, longPayload, updateRequest
    case redescribeRequest
    case pendingOf, firstPending, ahead, find, nextQueue, head, firstToMiss, running
    case owned, countOwned
    case requests, liveIDs, liveIDsOf, historyIDs
    case found, soonest, soonestOf, latestOver, countLive, countLiveOf, countOver
    case liveCounts
    case putAttempt, endAttempt, removeAttempts, attempt, attempts
    case append, fileJournal, journal, journalOfRequest, journalUnfiled, journalLastOf, causes
    case prunePayloads, pruneAttempts, pruneRequests
    case journalFirst, journalLast, journalKept, pruneFiled, pruneJournal
    case schedules, schedule, putSchedule, removeSchedule
    case rollup, rollups, countRollups, putRollup, removeRollups
    case setInlinePayload, removePayload
    case value, setValue, removeValue
    case dataVersion

    var text: String {
        switch self {
        case .begin: "BEGIN"
        case .beginWriting: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        // The innermost of that name is meant.
        case .save: "SAVEPOINT nested"
        case .release: "RELEASE nested"
        case .rollbackToSaved: "ROLLBACK TO nested"
        case .dataVersion: "PRAGMA data_version"
        case .schedules:
            "SELECT \(ScheduleRow.all) FROM schedule ORDER BY name"
        case .schedule:
            "SELECT \(ScheduleRow.all) FROM schedule WHERE name = ?1"
        case .putSchedule:
            "INSERT OR REPLACE INTO schedule (\(ScheduleRow.all)) VALUES (?1, ?2, ?3, ?4, ?5)"
        case .rollup:
            "SELECT \(RollupRow.all) FROM rollup WHERE span = ?1 AND at = ?2 AND identifier = ?3"
        case .rollups:
            "SELECT \(RollupRow.all) FROM rollup WHERE span = ?1 AND at >= ?2 AND at < ?3 AND (?4 IS NULL OR identifier = ?4) ORDER BY at, identifier"
        case .countRollups: "SELECT count(*) FROM rollup WHERE span = ?1 AND at = ?2"
        case .putRollup:
            "INSERT OR REPLACE INTO rollup (span, at, identifier, counts) VALUES (?1, ?2, ?3, ?4)"
        case .removeRollups: "DELETE FROM rollup WHERE span = ?1 AND at < ?2"
        case .setInlinePayload:
            "UPDATE request SET (payload, payload_size) = (?1, ?2) WHERE id = ?3"
        case .removePayload: "DELETE FROM payload WHERE request = ?1"
        case .removeSchedule: "DELETE FROM schedule WHERE name = ?1"
        case .value: "SELECT bytes FROM value WHERE name = ?1"
        case .setValue: "INSERT OR REPLACE INTO value (name, bytes) VALUES (?1, ?2)"
        case .removeValue: "DELETE FROM value WHERE name = ?1"
        default: requestText ?? historyText
        }
    }

    private var requestText: String? {
        switch self {
        case .counters:
            "SELECT sequence, \(StoreCounters.all) FROM journal ORDER BY sequence DESC LIMIT 1"
        case .firstCounters:
            "SELECT last_entry, \(StoreCounters.all) FROM counters WHERE id = 1"
        case .setCounters:
            "UPDATE journal SET (\(StoreCounters.all)) = (?1, ?2, ?3, ?4, ?5, ?6, ?7) WHERE sequence = ?8"
        case .setFirstCounters:
            "UPDATE counters SET (\(StoreCounters.all), last_entry) = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) WHERE id = 1"
        case .insertRequest:
            "INSERT INTO request (\(RequestRow.all), payload) VALUES (?1\((2...RequestRow.count).map { ", ?\($0)" }.joined()))"
        case .insertPayload: "INSERT INTO payload (request, bytes) VALUES (?1, ?2)"
        case .request: "SELECT \(RequestRow.all) FROM request WHERE id = ?1"
        case .state: "SELECT state FROM request WHERE id = ?1"
        case .payload: "SELECT payload FROM request WHERE id = ?1"
        case .longPayload: "SELECT bytes FROM payload WHERE request = ?1"
        case .updateRequest:
            "UPDATE request SET (\(RequestRow.changing)) = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) WHERE id = ?14"
        case .redescribeRequest:
            "UPDATE request SET (\(RequestRow.described), \(RequestRow.changing)) = (?2\((3...RequestRow.count - 1).map { ", ?\($0)" }.joined())) WHERE id = ?1"
        case .pendingOf:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_live WHERE state <= 3 AND state = 1 AND identifier = ?1"
        case .firstPending:
            "SELECT id FROM request INDEXED BY request_live WHERE state <= 3 AND state = 1 AND identifier = ?1 ORDER BY kind, needs, priority, opportunistic, at_most, not_before, id LIMIT 1"
        case .ahead:
            "SELECT 1 FROM request INDEXED BY request_live WHERE state <= 3 AND state = 1 AND identifier = ?1 AND kind = ?2 AND needs = ?3 AND priority = ?4 AND opportunistic = ?5 AND at_most = ?6 AND (not_before, id) < (?7, ?8) LIMIT ?9"
        case .find:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_key WHERE identifier = ?1 AND key = ?2 AND owner IS ?3 ORDER BY id DESC LIMIT 1"
        // For several columns SQLite seeks the first row that is not less, and then visits all
        // equal ones. With the last possible date, which no request has, none is equal.
        case .nextQueue:
            "SELECT \(Self.queue) FROM request INDEXED BY request_live WHERE state <= 3 AND state = 1 AND (\(Self.queue), not_before) > (?1, ?2, ?3, ?4, ?5, ?6, \(Int64.max)) ORDER BY \(Self.queue) LIMIT 1"
        case .head:
            "SELECT id, not_before FROM request INDEXED BY request_live WHERE state <= 3 AND state = 1 AND identifier = ?1 AND kind = ?2 AND needs = ?3 AND priority = ?4 AND opportunistic = ?5 AND at_most = ?6 ORDER BY not_before, id LIMIT 1"
        case .firstToMiss:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_latest WHERE state = 1 AND launches = 0 AND latest IS NOT NULL ORDER BY latest, id LIMIT 1"
        case .running:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_live WHERE state <= 3 AND state = 2"
        case .owned:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_owner WHERE owner = ?1"
        case .countOwned:
            "SELECT count(*) FROM request INDEXED BY request_owner WHERE owner = ?1 AND state = 1"
        case .requests:
            "SELECT \(RequestRow.all) FROM request WHERE id > ?1 AND id <= ?2 AND (?3 >> state) & 1 AND (?4 IS NULL OR identifier = ?4) ORDER BY id LIMIT ?5"
        case .liveIDs:
            "SELECT id FROM request INDEXED BY request_live WHERE state <= 3 AND state = ?1 LIMIT ?2"
        case .liveIDsOf:
            "SELECT id FROM request INDEXED BY request_live WHERE state <= 3 AND state = ?1 AND identifier = ?3 LIMIT ?2"
        case .historyIDs:
            "SELECT id FROM request INDEXED BY request_history WHERE state >= 4 AND (?1 >> state) & 1 AND (?2 IS NULL OR identifier = ?2)"
        // The dates of one queue are in order, those of all are not.
        case .soonest:
            "SELECT id FROM request INDEXED BY request_live WHERE state <= 3 AND state = ?1 ORDER BY CASE state WHEN 1 THEN not_before END, id LIMIT ?2"
        case .soonestOf:
            "SELECT id FROM request INDEXED BY request_live WHERE state <= 3 AND state = ?1 AND identifier = ?3 ORDER BY CASE state WHEN 1 THEN not_before END, id LIMIT ?2"
        case .latestOver:
            "SELECT id FROM request INDEXED BY request_history WHERE state >= 4 AND (?1 >> state) & 1 AND (?3 IS NULL OR identifier = ?3) AND (state <> 4 OR (?4 >> coalesce(outcome, 0)) & 1) ORDER BY changed_at DESC, id DESC LIMIT ?2"
        case .liveCounts:
            "SELECT identifier, state, count(*) FROM request INDEXED BY request_live WHERE state <= 3 GROUP BY state, identifier"
        // A part of a text is in no index.
        case .found:
            "SELECT id FROM request WHERE (?1 >> state) & 1 AND (?2 IS NULL OR identifier = ?2) AND (instr(identifier, ?3) > 0 OR instr(key, ?3) > 0) AND (state <> 4 OR (?4 >> coalesce(outcome, 0)) & 1) ORDER BY CASE state WHEN 2 THEN 0 WHEN 3 THEN 1 WHEN 1 THEN 2 ELSE 3 END, CASE WHEN state = 1 THEN not_before WHEN state >= 4 THEN -changed_at END, CASE WHEN state >= 4 THEN -id ELSE id END"
        case .countLive:
            "SELECT count(*) FROM request INDEXED BY request_live WHERE state <= 3 AND state = ?1"
        case .countLiveOf:
            "SELECT count(*) FROM request INDEXED BY request_live WHERE state <= 3 AND state = ?1 AND identifier = ?2"
        case .countOver:
            "SELECT count(*) FROM request INDEXED BY request_history WHERE state >= 4 AND (?1 >> state) & 1 AND (?2 IS NULL OR identifier = ?2) AND (state <> 4 OR (?3 >> coalesce(outcome, 0)) & 1)"
        default: nil
        }
    }

    private static let queue = "identifier, kind, needs, priority, opportunistic, at_most"

    /// The oldest history, of which something is left.
    private static let pruned =
        "SELECT id FROM request INDEXED BY request_history WHERE state >= 4 AND changed_at < ?1 ORDER BY changed_at, id LIMIT ?2"

    private var historyText: String {
        switch self {
        case .putAttempt:
            "INSERT OR REPLACE INTO attempt (\(AttemptRow.all)) VALUES (\(AttemptRow.values))"
        case .endAttempt:
            "UPDATE attempt SET \(AttemptRow.ending) WHERE request = ?1 AND launch = ?2"
        case .attempt: "SELECT \(AttemptRow.all) FROM attempt WHERE request = ?1 AND launch = ?2"
        case .removeAttempts: "DELETE FROM attempt WHERE request = ?1 AND launch < ?2"
        case .attempts:
            "SELECT \(AttemptRow.all) FROM attempt WHERE request = ?1 ORDER BY launch DESC LIMIT ?2"
        case .append:
            "INSERT INTO journal (\(JournalRow.all), \(StoreCounters.all)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
        case .fileJournal:
            "INSERT OR IGNORE INTO filed SELECT request, sequence FROM journal WHERE sequence > ?1 AND request IS NOT NULL"
        case .journal:
            "SELECT \(JournalRow.all) FROM journal WHERE sequence > ?1 ORDER BY sequence LIMIT ?2"
        case .journalOfRequest:
            "SELECT \(JournalRow.all) FROM journal WHERE sequence IN (SELECT sequence FROM filed WHERE request = ?3 AND sequence > ?1 ORDER BY sequence LIMIT ?2) ORDER BY sequence"
        case .journalUnfiled:
            "SELECT \(JournalRow.all) FROM journal WHERE sequence > ?1 AND request = ?3 ORDER BY sequence LIMIT ?2"
        case .journalLastOf:
            "SELECT \(JournalRow.all) FROM journal WHERE sequence = (SELECT max(sequence) FROM filed WHERE request = ?1)"
        case .causes:
            "SELECT \(JournalRow.all) FROM journal WHERE \(SQLiteSchema.isCause) AND at >= ?1 AND at < ?2 ORDER BY at, sequence LIMIT ?3"
        case .prunePayloads: "DELETE FROM payload WHERE request IN (\(Self.pruned))"
        case .pruneAttempts: "DELETE FROM attempt WHERE request IN (\(Self.pruned))"
        case .pruneRequests: "DELETE FROM request WHERE id IN (\(Self.pruned))"
        case .journalFirst: "SELECT sequence FROM journal ORDER BY sequence LIMIT 1"
        case .journalLast: "SELECT sequence FROM journal ORDER BY sequence DESC LIMIT 1"
        case .journalKept:
            "SELECT sequence FROM journal WHERE sequence < ?1 AND at >= ?2 ORDER BY sequence LIMIT 1"
        case .pruneFiled:
            "DELETE FROM filed WHERE (request, sequence) IN (SELECT request, sequence FROM journal WHERE sequence < ?1 AND request IS NOT NULL)"
        case .pruneJournal: "DELETE FROM journal WHERE sequence < ?1"
        default: fatalError("a query of the store has no text: \(self)")
        }
    }
}
