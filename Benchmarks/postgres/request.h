/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h: the table that the limit writes, and its statements. It has the columns of Curfew's, its
 * key, the index of its queue and its settings of storage and vacuum. Left out: the journal, the
 * attempts, the hosts, all other indexes, and whatever is looked at before a request is taken in or
 * launched.
 */
#ifndef CURFEW_BENCH_REQUEST_H
#define CURFEW_BENCH_REQUEST_H

#define REQUEST_TABLE                                                                              \
    "CREATE SCHEMA limits;"                                                                        \
    "CREATE SEQUENCE limits.request_id;"                                                           \
    "CREATE TABLE limits.request (id bigint PRIMARY KEY DEFAULT nextval('limits.request_id'),"     \
    " identifier text COLLATE \"C\" NOT NULL, kind smallint NOT NULL, earliest bigint,"            \
    " latest bigint, needs smallint NOT NULL, priority smallint NOT NULL,"                         \
    " on_pending smallint NOT NULL, key text COLLATE \"C\", retry_attempts bigint NOT NULL,"       \
    " retry_base bigint NOT NULL, retry_longest bigint NOT NULL,"                                  \
    " retry_jitter double precision NOT NULL, rule smallint NOT NULL, every bigint,"               \
    " cron text COLLATE \"C\", catch_up smallint, date_jitter bigint NOT NULL,"                    \
    " payload_size bigint NOT NULL, submitted_at bigint NOT NULL,"                                 \
    " opportunistic smallint NOT NULL, at_most bigint NOT NULL, owner bigint,"                     \
    " state smallint NOT NULL, marks smallint NOT NULL, not_before bigint NOT NULL,"               \
    " reason smallint NOT NULL, nominal bigint NOT NULL, attempts bigint NOT NULL,"                \
    " launches bigint NOT NULL, crashes bigint NOT NULL, outcome smallint,"                        \
    " changed_at bigint NOT NULL, pause_boot text COLLATE \"C\", pause_begun bigint,"              \
    " pause_length bigint, payload bytea) WITH (fillfactor = 70,"                                  \
    " autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,"                  \
    " autovacuum_vacuum_cost_delay = 0);"                                                          \
    "ALTER TABLE limits.request ALTER payload SET STORAGE EXTERNAL;"                               \
    "CREATE INDEX request_pending ON limits.request (identifier, kind, needs, priority,"           \
    " opportunistic, at_most, not_before, id) WHERE state = 1;"

/* Dates: $1. Payload: $2. For `count` rows in one statement. */
#define REQUEST_INSERT(count)                                                                      \
    "INSERT INTO limits.request (identifier, kind, earliest, needs, priority, on_pending,"         \
    " retry_attempts, retry_base, retry_longest, retry_jitter, rule, date_jitter, payload_size,"   \
    " submitted_at, opportunistic, at_most, state, marks, not_before, reason, nominal, attempts,"  \
    " launches, crashes, changed_at, payload)"                                                     \
    " SELECT 'org.example.parallel', 2, $1, 0, 0, 3, 1, 30000000000, 21600000000000, 0.2, 0, 0,"   \
    " 100, $1, 0, 0, 1, 0, $1, 1, $1, 0, 0, 0, $1, $2 FROM generate_series(1, " #count ")"         \
    " RETURNING id"

/* What the index of the queue has first, as a scheduler finds it. Date: $1. The limit is written out,
 * for a plan that knows it. */
#define REQUEST_CLAIM(count)                                                                       \
    "WITH first AS (SELECT id FROM limits.request WHERE state = 1 AND"                             \
    " identifier = 'org.example.parallel' AND kind = 2 AND needs = 0 AND priority = 0 AND"         \
    " opportunistic = 0 AND at_most = 0 AND not_before <= $1"                                      \
    " ORDER BY not_before, id LIMIT " #count " FOR UPDATE SKIP LOCKED)"                            \
    " UPDATE limits.request AS r SET state = 2, launches = launches + 1, changed_at = $1"          \
    " FROM first WHERE r.id = first.id RETURNING r.id, r.payload"

/* The ids: $1. Date: $2. */
#define REQUEST_COMPLETE                                                                           \
    "UPDATE limits.request SET state = 4, outcome = 1, attempts = 1, changed_at = $2"              \
    " WHERE id = ANY ($1::bigint[]) AND state = 2"

#endif /* CURFEW_BENCH_REQUEST_H */
