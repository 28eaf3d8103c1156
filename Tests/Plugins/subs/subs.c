/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers made of subs, in both of their forms: `plain` returns a text, `chain` is a resumable one,
 * carried over sub by sub from B4X.
 *
 * What happens is written line by line to the file `notes` in the directory SUBS_DIR; what is to
 * happen stands in the file `plan` there.
 */
#define _GNU_SOURCE
#include <curfew/curfew.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

#define EXPORT __attribute__((visibility("default")))

EXPORT const char *doplain(void);
EXPORT void plain_expired(void);
EXPORT void plain_done(bool success, const char *error);
EXPORT void registeringplain_done(bool success, const char *error);
EXPORT void chain_controller(curfew_task task, const curfew_host_api *api);
EXPORT void chain_expired(void);
EXPORT void chain_found(const char *text, int64_t number);
EXPORT void chain_step(bool flag, double number);
/* Names of subs, but nothing that could be called. */
EXPORT extern int registeringchain_done, plain_progress;
int registeringchain_done = 1, plain_progress = 1;

static void path(char *buffer, size_t size, const char *name) {
    const char *directory = getenv("SUBS_DIR");
    snprintf(buffer, size, "%s/%s", directory == NULL ? "/nonexistent" : directory, name);
}

static void note(const char *line) {
    char file[4096];
    path(file, sizeof file, "notes");
    int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) return;
    char text[512];
    int length = snprintf(text, sizeof text, "%s\n", line);
    if (write(descriptor, text, (size_t)length) < 0) abort();
    close(descriptor);
}

static const char *plan(void) {
    static _Thread_local char text[70000];
    char file[4096];
    path(file, sizeof file, "plan");
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return "";
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    text[length < 0 ? 0 : length] = 0;
    return text;
}

static bool planned(const char *word) { return strcmp(plan(), word) == 0; }

/* Until the other side has come as far; the test has its own time limit. */
static void until(atomic_bool *flag) {
    while (!atomic_load(flag)) usleep(1000);
}

static void until_file(const char *name) {
    char file[4096];
    struct stat status;
    path(file, sizeof file, name);
    while (stat(file, &status) != 0) usleep(1000);
}

/* --- The plain form ------------------------------------------------------------------------ */

static atomic_bool is_plain_expired;

const char *doplain(void) {
    atomic_store(&is_plain_expired, false);
    note("doplain");
    if (planned("until expired")) {
        until(&is_plain_expired);
        return "stopped in the middle";
    }
    if (planned("nothing")) return NULL;
    return plan();
}

void plain_expired(void) {
    note("plain_expired");
    atomic_store(&is_plain_expired, true);
}

void plain_done(bool success, const char *error) {
    char line[256];
    snprintf(line, sizeof line, "plain_done %s \"%.200s\"", success ? "true" : "false", error);
    note(line);
    if (planned("hang")) until_file("go on");
}

void registeringplain_done(bool success, const char *error) {
    char line[256];
    snprintf(line, sizeof line, "registeringplain_done %s \"%s\"", success ? "true" : "false",
             error);
    note(line);
}

/* --- The resumable form -------------------------------------------------------------------- */

/* Process_Globals */
static atomic_bool is_chain_expired;
static const curfew_host_api *host;
static const curfew_subs *subs;

/* Private Sub DoChain, from its Sleep on */
static void do_chain_goes_on(void *data, const curfew_host_api *api, curfew_status status,
                             const curfew_value *values, uint32_t count) {
    (void)data, (void)status, (void)values, (void)count;
    note("do_chain goes on");
    if (!atomic_load(&is_chain_expired)) subs->call_delayed(api, "Chain_Done", NULL, 0);
    /* The Done is on its way and nobody has seen it: now the time is up. */
    if (planned("expire behind the done")) {
        note("done is queued");
        until(&is_chain_expired);
        until_file("go on");
    }
}

static void do_chain(const curfew_host_api *api) {
    note("do_chain");
    subs->sleep(api, 10000000, do_chain_goes_on, NULL);
}

/* Private Sub Chain_Controller, from its Wait For on */
static void controller_goes_on(void *data, const curfew_host_api *api, curfew_status status,
                               const curfew_value *values, uint32_t count) {
    (void)values, (void)count;
    if (status != CURFEW_OK) {
        note(status == CURFEW_REPLACED ? "wait replaced" : "wait timed out");
        return;
    }
    curfew_task task = (curfew_task)(uintptr_t)data;
    bool expired = atomic_load(&is_chain_expired);
    note(expired ? "completed false" : "completed true");
    api->complete(api, task, expired ? CURFEW_FAILED : CURFEW_OK, NULL, 0, NULL, 0);
}

/* One of many sleeps that are over at the same time. */
enum { many = 6000 };
static int over;
static void one_of_many(void *data, const curfew_host_api *api, curfew_status status,
                        const curfew_value *values, uint32_t count) {
    (void)values, (void)count;
    if (status == CURFEW_OK && ++over == many) {
        api->complete(api, (curfew_task)(uintptr_t)data, CURFEW_OK, NULL, 0, NULL, 0);
    }
}

static void twice(void *data, const curfew_host_api *api, curfew_status status,
                  const curfew_value *values, uint32_t count) {
    (void)data, (void)api, (void)count;
    char line[256];
    if (status == CURFEW_OK) {
        snprintf(line, sizeof line, "waited for %s %lld", values[0].text,
                 (long long)values[1].integer);
        note(line);
    } else {
        note(status == CURFEW_REPLACED ? "wait replaced" : "wait timed out");
    }
}

void chain_controller(curfew_task task, const curfew_host_api *api) {
    host = api;
    subs = api->extension(api, CURFEW_EXT_SUBS);
    if (subs == NULL) {
        note("no subs");
        return;
    }
    atomic_store(&is_chain_expired, false);
    note("controller");
    if (planned("expire in the gap")) {
        until(&is_chain_expired);
        until_file("go on");
    }
    if (planned("many")) {
        over = 0;
        for (int i = 0; i < many; i++) {
            subs->sleep(api, 1000000, one_of_many, (void *)(uintptr_t)task);
        }
        return;
    }
    if (planned("events")) {
        const curfew_value found[] = {
            {.struct_size = sizeof found[0], .type = CURFEW_TYPE_TEXT, .text = "one", .text_bytes = 3},
            {.struct_size = sizeof found[0], .type = CURFEW_TYPE_INT64, .integer = 1}};
        const curfew_value more[] = {
            {.struct_size = sizeof more[0], .type = CURFEW_TYPE_TEXT, .text = "two", .text_bytes = 3},
            {.struct_size = sizeof more[0], .type = CURFEW_TYPE_INT64, .integer = 2}};
        const curfew_value step[] = {
            {.struct_size = sizeof step[0], .type = CURFEW_TYPE_BOOL, .integer = 1},
            {.struct_size = sizeof step[0], .type = CURFEW_TYPE_DOUBLE, .number = 2.5}};
        /* The second wait takes the first one's place; another task's does not come. */
        subs->wait_for(api, "chain_found::", 0, 0, twice, NULL);
        subs->wait_for(api, "chain_found::", 0, 0, twice, NULL);
        subs->wait_for(api, "chain_found::", task + 1, 50000000, twice, NULL);
        api->raise(api, task, "chain_found", found, 2);
        api->raise(api, task, "chain_found", more, 2);
        subs->call_delayed(api, "Chain_Step", step, 2);
        subs->call_delayed(api, "chain_nowhere", step, 2);
        if (subs->call_delayed(api, "chain_found", step, 2) == CURFEW_INVALID &&
            subs->call_delayed(api, "chain_step:::", step, 2) == CURFEW_INVALID) {
            note("refused");
        }
        /* Not with these parameters. */
        subs->call_delayed(api, "plain_done", step, 1);
        subs->call_delayed(api, "chain_controller", NULL, 0);
    }
    do_chain(api);
    subs->wait_for(api, "chain_done", 0, 0, controller_goes_on, (void *)(uintptr_t)task);
}

void chain_expired(void) {
    note("chain_expired");
    atomic_store(&is_chain_expired, true);
    subs->call_delayed(host, "chain_done", NULL, 0);
}

void chain_found(const char *text, int64_t number) {
    char line[256];
    snprintf(line, sizeof line, "chain_found %s %lld", text, (long long)number);
    note(line);
}

void chain_step(bool flag, double number) {
    char line[256];
    snprintf(line, sizeof line, "chain_step %s %g", flag ? "true" : "false", number);
    note(line);
}
