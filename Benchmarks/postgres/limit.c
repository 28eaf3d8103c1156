/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What C with libpq can do on a PostgreSQL server, with the durability that Curfew promises: prepared
 * statements, and each commit on the server's disk before its answer.
 *
 *     limit table CONNINFO                          the table, and one row that is due
 *     limit submit CONNECTIONS ROWS COUNT CONNINFO  rows with a payload of 100 bytes, ROWS in one
 *                                                   INSERT and commit
 *     limit task CONNECTIONS ROWS COUNT CONNINFO    of rows that are there, ROWS at a time are claimed
 *                                                   and then completed: two commits
 *     limit life 1 1 COUNT CONNINFO                 a row is inserted and claimed in one transaction and
 *                                                   round trip, and completed in another
 *     limit pickup COUNT PAUSE_MS CONNINFO          a row is inserted and announced, and claimed by a
 *                                                   process that listens
 *
 * Each connection belongs to a process. The database has no schema `limits` before `table`, `submit`,
 * `life` and `pickup`.
 */
#include <libpq-fe.h>
#include <poll.h>

#include "processes.h"
#include "request.h"

static const char *address;
static int rows, count, pause_ms;

static struct board {
    struct gate gate;
    _Atomic int left;
    sem_t picked;
    uint64_t submitted_ns, picked_ns;
} *board;

/* --- The database ---------------------------------------------------------------------------- */

static PGconn *open_connection(void) {
    PGconn *connection = PQconnectdb(address);
    if (PQstatus(connection) != CONNECTION_OK) fail("%s", PQerrorMessage(connection));
    PQclear(PQexec(connection, "SET client_min_messages = warning; SET jit = off;"
                               " SET plan_cache_mode = force_generic_plan"));
    return connection;
}

/* Takes an answer, which has to be good; returns the number of rows that it gives or has changed. */
static int rows_of(PGconn *connection, PGresult *answer) {
    const ExecStatusType status = PQresultStatus(answer);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail("%s", PQerrorMessage(connection));
    const char *changed = PQcmdTuples(answer);
    return *changed != 0 ? atoi(changed) : PQntuples(answer);
}

static void execute(PGconn *connection, const char *sql) {
    PGresult *answer = PQexec(connection, sql);
    rows_of(connection, answer);
    PQclear(answer);
}

static void prepare(PGconn *connection, const char *name, const char *sql) {
    PGresult *answer = PQprepare(connection, name, sql, 0, NULL);
    rows_of(connection, answer);
    PQclear(answer);
}

static PGconn *open_prepared(void) {
    PGconn *connection = open_connection();
    prepare(connection, "insert", rows == 1 ? REQUEST_INSERT(1) : REQUEST_INSERT(64));
    prepare(connection, "claim", rows == 1 ? REQUEST_CLAIM(1) : REQUEST_CLAIM(64));
    prepare(connection, "complete", REQUEST_COMPLETE);
    return connection;
}

static void make_table(void) {
    PGconn *connection = open_connection();
    execute(connection, REQUEST_TABLE);
    PQfinish(connection);
}

/* Dates as Curfew's. */
static const char *date(void) {
    static char text[32];
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    snprintf(text, sizeof text, "%lld%09ld", (long long)time.tv_sec, time.tv_nsec);
    return text;
}

static const char payload[100] = "as large as a small job";
static const int lengths[] = {0, sizeof payload};
static const int formats[] = {0, 1};

static void insert_rows(PGconn *connection) {
    const char *values[] = {date(), payload};
    PGresult *answer = PQexecPrepared(connection, "insert", 2, values, lengths, formats, 0);
    if (rows_of(connection, answer) != rows) fail("not inserted");
    PQclear(answer);
}

/* The ids as an array; returns how many there are, up to `rows`. */
static int take_claim(PGconn *connection, PGresult *answer, char *ids) {
    const int claimed = rows_of(connection, answer);
    int length = 0;
    for (int i = 0; i < claimed; i++)
        length += sprintf(ids + length, "%c%s", i == 0 ? '{' : ',', PQgetvalue(answer, i, 0));
    strcpy(ids + length, "}");
    PQclear(answer);
    return claimed;
}

static int claim_rows(PGconn *connection, char *ids) {
    const char *values[] = {date()};
    return take_claim(
        connection, PQexecPrepared(connection, "claim", 1, values, NULL, NULL, 0), ids);
}

static void complete_rows(PGconn *connection, const char *ids, int claimed) {
    const char *values[] = {ids, date()};
    PGresult *answer = PQexecPrepared(connection, "complete", 2, values, NULL, NULL, 0);
    if (rows_of(connection, answer) != claimed) fail("not completed");
    PQclear(answer);
}

/* --- Many rows ------------------------------------------------------------------------------- */

enum { IDS = 64 * 24 };

static void submit_rows(int number) {
    (void)number;
    PGconn *connection = open_prepared();
    pass_gate(&board->gate);
    for (int done = 0; done < count; done += rows) insert_rows(connection);
    PQfinish(connection);
}

static void run_tasks(int number) {
    (void)number;
    PGconn *connection = open_prepared();
    char ids[IDS];
    pass_gate(&board->gate);
    while (atomic_load(&board->left) > 0) {
        const int claimed = claim_rows(connection, ids);
        if (claimed == 0) break;
        complete_rows(connection, ids, claimed);
        atomic_fetch_sub(&board->left, claimed);
    }
    PQfinish(connection);
}

/* The answer of a prepared statement in a pipeline. */
static PGresult *next_answer(PGconn *connection) {
    PGresult *answer = PQgetResult(connection);
    if (answer == NULL) fail("no answer: %s", PQerrorMessage(connection));
    if (PQresultStatus(answer) != PGRES_PIPELINE_SYNC && PQgetResult(connection) != NULL)
        fail("too many answers");
    return answer;
}

static void send(PGconn *connection, const char *statement, int parameters,
                 const char *const *values) {
    if (PQsendQueryPrepared(connection, statement, parameters, values,
                            parameters == 2 ? lengths : NULL, parameters == 2 ? formats : NULL,
                            0) != 1)
        fail("%s", PQerrorMessage(connection));
}

static void live(int number) {
    (void)number;
    PGconn *connection = open_prepared();
    prepare(connection, "begin", "BEGIN");
    prepare(connection, "commit", "COMMIT");
    char ids[IDS];
    pass_gate(&board->gate);
    for (int i = 0; i < count; i++) {
        const char *values[] = {date(), payload};
        PQenterPipelineMode(connection);
        send(connection, "begin", 0, NULL);
        send(connection, "insert", 2, values);
        send(connection, "claim", 1, values);
        send(connection, "commit", 0, NULL);
        PQpipelineSync(connection);
        PQclear(next_answer(connection));
        PQclear(next_answer(connection));
        if (take_claim(connection, next_answer(connection), ids) != 1) fail("not claimed");
        PQclear(next_answer(connection));
        PQclear(next_answer(connection));
        PQexitPipelineMode(connection);
        complete_rows(connection, ids, 1);
    }
    PQfinish(connection);
}

static void measure_rate(void (*body)(int), int processes, int total) {
    pid_t ids[MOST_PROCESSES];
    for (int i = 0; i < processes; i++) ids[i] = start_process(body, i);
    const uint64_t started = open_gate(&board->gate, processes);
    for (int i = 0; i < processes; i++) finish_process(ids[i]);
    printf("per_second %.1f\n", (double)total * 1e9 / (double)(now_ns() - started));
}

/* All rows are there, in that state. */
static void check(int state, int wanted) {
    PGconn *connection = open_connection();
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM limits.request WHERE state = %d", state);
    PGresult *answer = PQexec(connection, sql);
    rows_of(connection, answer);
    if (atoi(PQgetvalue(answer, 0, 0)) < wanted)
        fail("%s rows instead of %d", PQgetvalue(answer, 0, 0), wanted);
    PQclear(answer);
    PQfinish(connection);
}

/* --- Pick-up --------------------------------------------------------------------------------- */

static void pick_up(int number) {
    (void)number;
    PGconn *connection = open_prepared();
    execute(connection, "LISTEN limits");
    char ids[IDS];
    pass_gate(&board->gate);
    for (int picked = 0; picked < count;) {
        struct pollfd wait = {.fd = PQsocket(connection), .events = POLLIN};
        if (poll(&wait, 1, 5000) != 1) fail("no notice came");
        if (PQconsumeInput(connection) != 1) fail("%s", PQerrorMessage(connection));
        PGnotify *notice;
        while ((notice = PQnotifies(connection)) != NULL) PQfreemem(notice);
        if (claim_rows(connection, ids) != 1) continue;
        board->picked_ns = now_ns();
        picked++;
        sem_post(&board->picked);
        complete_rows(connection, ids, 1);
    }
    PQfinish(connection);
}

static void measure_pickup(void) {
    uint64_t *times = calloc((size_t)count, sizeof times[0]);
    const pid_t process = start_process(pick_up, 0);
    PGconn *connection = open_prepared();
    open_gate(&board->gate, 1);
    for (int i = 0; i < count; i++) {
        usleep((useconds_t)pause_ms * 1000);
        board->submitted_ns = now_ns();
        insert_rows(connection);
        execute(connection, "NOTIFY limits");
        wait_for(&board->picked);
        times[i] = board->picked_ns - board->submitted_ns;
    }
    finish_process(process);
    print_times(times, count, "ms", 1e6);
}

int main(int argc, char **argv) {
    const char *usage = "usage: limit table CONNINFO | submit|task|life CONNECTIONS ROWS COUNT CONNINFO"
                        " | pickup COUNT PAUSE_MS CONNINFO";
    if (argc < 3) fail("%s", usage);
    alarm(60);
    address = argv[argc - 1];
    board = shared_memory(sizeof *board);
    init_gate(&board->gate);
    sem_init(&board->picked, 1, 0);
    rows = 1;
    if (strcmp(argv[1], "table") == 0) {
        make_table();
        PGconn *connection = open_prepared();
        insert_rows(connection);
        PQfinish(connection);
        return 0;
    }
    if (strcmp(argv[1], "pickup") == 0 && argc == 5) {
        count = atoi(argv[2]), pause_ms = atoi(argv[3]);
        make_table();
        measure_pickup();
        return 0;
    }
    if (argc != 6) fail("%s", usage);
    const int processes = atoi(argv[2]);
    rows = atoi(argv[3]);
    const int total = atoi(argv[4]);
    if (processes < 1 || processes > MOST_PROCESSES || (rows != 1 && rows != 64) ||
        total % (processes * rows) != 0)
        fail("%s", usage);
    count = total / processes;
    board->left = total;
    if (strcmp(argv[1], "task") == 0) {
        measure_rate(run_tasks, processes, total);
        check(4, total);
        return 0;
    }
    make_table();
    if (strcmp(argv[1], "submit") == 0) {
        measure_rate(submit_rows, processes, total);
        check(1, total);
    } else if (strcmp(argv[1], "life") == 0) {
        measure_rate(live, processes, total);
        check(4, total);
    } else {
        fail("%s", usage);
    }
    return 0;
}
