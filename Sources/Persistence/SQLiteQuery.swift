// SPDX-License-Identifier: Apache-2.0

/// Every statement that a transaction runs, so that each is prepared once and all can be looked at.
enum SQLiteQuery: Int, CaseIterable {
    case begin, beginWriting, commit, rollback, save, release, rollbackToSaved
    case insertRequest, insertPayload, request, payload, updateRequest
    case pendingCount, live, find, nextQueue, head, firstToMiss, running, requests
    case putAttempt, removeAttempts, attempt, attempts
    case append, journal, journalOfRequest
    case historyCount, pruneExcess, pruneOld, journalFirst, journalLast, journalKept, pruneJournal
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
        case .value: "SELECT bytes FROM value WHERE name = ?1"
        case .setValue: "INSERT OR REPLACE INTO value (name, bytes) VALUES (?1, ?2)"
        case .removeValue: "DELETE FROM value WHERE name = ?1"
        default: requestText ?? historyText
        }
    }

    private var requestText: String? {
        switch self {
        case .insertRequest:
            "INSERT INTO request (\(RequestRow.described), \(RequestRow.changing)) VALUES (?1\((2...RequestRow.count).map { ", ?\($0)" }.joined()))"
        case .insertPayload: "INSERT INTO payload (request, bytes) VALUES (?1, ?2)"
        case .request: "SELECT \(RequestRow.all) FROM request WHERE id = ?1"
        case .payload: "SELECT bytes FROM payload WHERE request = ?1"
        case .updateRequest:
            "UPDATE request SET (\(RequestRow.changing)) = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) WHERE id = ?11"
        case .pendingCount: "SELECT count FROM tally WHERE kind = ?1"
        case .live:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_live WHERE identifier = ?1 AND state <= 2 ORDER BY id LIMIT ?2"
        case .find:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_key WHERE identifier = ?1 AND key = ?2 ORDER BY id DESC LIMIT 1"
        // Of several columns SQLite looks for what is not less, and goes through all that is equal: the
        // last possible date, which no request has, leaves nothing equal.
        case .nextQueue:
            "SELECT identifier, kind, needs, priority FROM request INDEXED BY request_queue WHERE state = 1 AND (identifier, kind, needs, priority, not_before) > (?1, ?2, ?3, ?4, \(Int64.max)) ORDER BY identifier, kind, needs, priority LIMIT 1"
        case .head:
            "SELECT id, not_before FROM request INDEXED BY request_queue WHERE state = 1 AND identifier = ?1 AND kind = ?2 AND needs = ?3 AND priority = ?4 ORDER BY not_before, id LIMIT 1"
        case .firstToMiss:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_latest WHERE state = 1 AND launches = 0 AND latest IS NOT NULL ORDER BY latest, id LIMIT 1"
        case .running:
            "SELECT \(RequestRow.all) FROM request INDEXED BY request_running WHERE state = 2 ORDER BY id"
        case .requests:
            "SELECT \(RequestRow.all) FROM request WHERE id > ?1 AND (?2 = 0 OR (?2 >> state) & 1) AND (?3 IS NULL OR identifier = ?3) ORDER BY id LIMIT ?4"
        default: nil
        }
    }

    private var historyText: String {
        switch self {
        case .putAttempt:
            "INSERT OR REPLACE INTO attempt (\(AttemptRow.all)) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 WHERE EXISTS (SELECT 1 FROM request WHERE id = ?1)"
        case .attempt: "SELECT \(AttemptRow.all) FROM attempt WHERE request = ?1 AND launch = ?2"
        case .removeAttempts: "DELETE FROM attempt WHERE request = ?1 AND launch < ?2"
        case .attempts:
            "SELECT \(AttemptRow.all) FROM attempt WHERE request = ?1 ORDER BY launch DESC LIMIT ?2"
        case .append:
            "INSERT INTO journal (at, what, request, identifier, launch, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        case .journal:
            "SELECT \(JournalRow.all) FROM journal WHERE sequence > ?1 ORDER BY sequence LIMIT ?2"
        case .journalOfRequest:
            "SELECT \(JournalRow.all) FROM journal INDEXED BY journal_request WHERE request = ?3 AND sequence > ?1 ORDER BY sequence LIMIT ?2"
        case .historyCount: "SELECT count FROM tally WHERE kind = 0"
        case .pruneExcess:
            "DELETE FROM request WHERE id IN (SELECT id FROM request INDEXED BY request_history WHERE state >= 4 ORDER BY changed_at, id LIMIT ?1)"
        case .pruneOld:
            "DELETE FROM request WHERE id IN (SELECT id FROM request INDEXED BY request_history WHERE state >= 4 AND changed_at < ?1 ORDER BY changed_at, id LIMIT ?2)"
        case .journalFirst: "SELECT sequence FROM journal ORDER BY sequence LIMIT 1"
        case .journalLast: "SELECT sequence FROM journal ORDER BY sequence DESC LIMIT 1"
        case .journalKept:
            "SELECT sequence FROM journal WHERE sequence < ?1 AND at >= ?2 ORDER BY sequence LIMIT 1"
        case .pruneJournal: "DELETE FROM journal WHERE sequence < ?1"
        default: fatalError("a query of the store has no text: \(self)")
        }
    }
}
