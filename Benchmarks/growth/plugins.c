/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a plugin, of finding a handler and of a launch against the number of plugins.
 *
 *     plugins N LIBRARY PLUGIN_DIRECTORY PLACE
 *
 * N copies of the plugin in PLUGIN_DIRECTORY are made in PLACE, which must not exist: a directory
 * each, with a manifest and a library of its own content. us_per_plugin is for the scan of PLACE
 * and N loads, each of which reads, checks and copies the library, maps it and calls its entry;
 * us_scan is the scan's share. ns_find is the look-up of an identifier, ns_launch a task launched
 * by its identifier, run and counted, ns_launch_at by index; identifiers come in no order. What
 * the process grows by for each plugin is kib_per_plugin, after the loads, and what the host's end
 * takes is ms_destroy.
 */
#define _GNU_SOURCE /* memmem */
#include <sys/stat.h>

#include "growth.h"

/* The identifier that growth.py builds the plugin with; its digits are replaced. */
#define MANY_MARK "org.example.many.n000000"

enum { PLUGIN_LIMIT = 10000, LOOK_UPS = 200000, LAUNCHES = 200000, DIGITS = 6 };

static const char *place;
static uint64_t size;
static uint32_t handlers[PLUGIN_LIMIT]; /* by number */

static void name(char identifier[64], uint64_t number) {
    snprintf(identifier, 64, "%.*s%0*" PRIu64, (int)sizeof MANY_MARK - 1 - DIGITS, MANY_MARK,
             DIGITS, number);
}

static char *read_library(const char *directory, size_t *bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/libmany.so", directory);
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) fail("%s: %s", path, strerror(errno));
    *bytes = (size_t)status.st_size;
    char *content = malloc(*bytes);
    if (content == NULL || fread(content, 1, *bytes, file) != *bytes) fail("%s not read", path);
    fclose(file);
    return content;
}

static void write_file(const char *directory, const char *file_name, const char *content,
                       size_t bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, file_name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(content, 1, bytes, file) != bytes || fclose(file) != 0)
        fail("%s: %s", path, strerror(errno));
}

static void make_directory(const char *path) {
    if (mkdir(path, 0755) != 0) fail("%s: %s", path, strerror(errno));
}

static void directory_of(char path[4096], uint64_t number) {
    snprintf(path, 4096, "%s/n%0*" PRIu64, place, DIGITS, number);
}

static void make_plugins(const char *directory) {
    size_t bytes = 0;
    char *library = read_library(directory, &bytes);
    char *mark = memmem(library, bytes, MANY_MARK, sizeof MANY_MARK);
    if (mark == NULL) fail("%s/libmany.so has no identifier to replace", directory);
    make_directory(place);
    for (uint64_t i = 0; i < size; i++) {
        char path[4096], identifier[64], manifest[512];
        directory_of(path, i);
        make_directory(path);
        name(identifier, i);
        memcpy(mark, identifier, sizeof MANY_MARK);
        write_file(path, "libmany.so", library, bytes);
        const int length = snprintf(manifest, sizeof manifest,
                                    "{\n  \"id\": \"%s.plugin\",\n  \"version\": \"1.0.0\",\n"
                                    "  \"abi\": 0,\n  \"library\": \"libmany.so\",\n"
                                    "  \"handlers\": [\n    {\n      \"identifier\": \"%s\",\n"
                                    "      \"kind\": \"app-refresh\"\n    }\n  ]\n}\n",
                                    identifier, identifier);
        write_file(path, "manifest.json", manifest, (size_t)length);
    }
    free(library);
}

static void load_plugins(const struct libcurfew *curfew) {
    curfew_error error = {.struct_size = sizeof error};
    uint32_t found = 0;
    const uint64_t before = resident_bytes();
    const uint64_t started = now_ns();
    expect_ok(curfew, curfew->host_scan_plugins(curfew->host, place, &found, &error), "scan",
              &error);
    const uint64_t scanned = now_ns();
    if (found != size) fail("%" PRIu32 " plugins found instead of %" PRIu64, found, size);
    for (uint64_t i = 0; i < size; i++) {
        char path[4096];
        directory_of(path, i);
        expect_ok(curfew, curfew->host_load_plugin(curfew->host, path, &error), path, &error);
    }
    const uint64_t loaded = now_ns();
    if (curfew->host_get_plugin_count(curfew->host) != size)
        fail("another number of plugins is listed");
    printf("us_per_plugin %.1f\n", (double)(loaded - started) / 1000 / (double)size);
    printf("us_scan %.1f\n", (double)(scanned - started) / 1000 / (double)size);
    printf("kib_per_plugin %.1f\n", (double)(resident_bytes() - before) / 1024 / (double)size);
}

static void find_handlers(const struct libcurfew *curfew) {
    static char identifiers[PLUGIN_LIMIT][64];
    for (uint64_t i = 0; i < size; i++) name(identifiers[i], i);
    uint64_t random = 1;
    const uint64_t started = now_ns();
    for (int i = 0; i < LOOK_UPS; i++) {
        const uint64_t number = next_random(&random) % size;
        expect_ok(
            curfew,
            curfew->host_find_handler(curfew->host, identifiers[number], &handlers[number], NULL),
            identifiers[number], NULL);
    }
    printf("ns_find %.1f\n", (double)(now_ns() - started) / LOOK_UPS);
    for (uint64_t i = 0; i < size; i++) {
        expect_ok(curfew,
                  curfew->host_find_handler(curfew->host, identifiers[i], &handlers[i], NULL),
                  identifiers[i], NULL);
        if (strcmp(state_of_handler(curfew, handlers[i]).identifier, identifiers[i]) != 0)
            fail("%s was found as another", identifiers[i]);
    }
}

static uint64_t successes(const struct libcurfew *curfew) {
    curfew_counts counts = {.struct_size = sizeof counts};
    expect_ok(curfew, curfew->host_get_counts(curfew->host, &counts, NULL), "counts", NULL);
    return counts.ended[CURFEW_OUTCOME_SUCCEEDED];
}

static double launch_all(const struct libcurfew *curfew, bool by_index) {
    const uint64_t before = successes(curfew);
    uint64_t random = 2;
    const uint64_t started = now_ns();
    for (int i = 0; i < LAUNCHES; i++) {
        const uint64_t number = next_random(&random) % size;
        char identifier[64];
        if (!by_index) {
            memcpy(identifier, MANY_MARK, sizeof MANY_MARK);
            uint64_t rest = number;
            for (char *digit = identifier + sizeof MANY_MARK - 2; rest > 0; rest /= 10)
                *digit-- = (char)('0' + rest % 10);
        }
        for (;;) {
            const curfew_status status =
                by_index
                    ? curfew->host_launch_by_index(curfew->host, handlers[number], NULL, NULL, NULL)
                    : curfew->host_launch(curfew->host, identifier, NULL, NULL, NULL);
            if (status == CURFEW_OK) break;
            if (status != CURFEW_BUSY && status != CURFEW_EXHAUSTED)
                fail("not launched: %s", curfew->status_text(status));
            sched_yield();
        }
    }
    while (successes(curfew) < before + LAUNCHES) sched_yield();
    const uint64_t ended = now_ns();
    if (successes(curfew) != before + LAUNCHES) fail("more tasks ended than were launched");
    return (double)(ended - started) / LAUNCHES;
}

int main(int count, char **arguments) {
    if (count != 5) fail("usage: plugins N LIBRARY PLUGIN_DIRECTORY PLACE");
    size = size_of_argument(arguments[1], PLUGIN_LIMIT);
    if (size == 0) fail("at least one plugin");
    place = arguments[4];
    make_plugins(arguments[3]);

    struct libcurfew curfew = look_up_libcurfew(arguments[2]);
    curfew_error error = {.struct_size = sizeof error};
    expect_ok(&curfew, curfew.host_create(NULL, &curfew.host, &error), "host", &error);
    load_plugins(&curfew);
    find_handlers(&curfew);
    printf("ns_launch %.1f\n", launch_all(&curfew, false));
    printf("ns_launch_at %.1f\n", launch_all(&curfew, true));
    const uint64_t ending = now_ns();
    close_libcurfew(&curfew);
    printf("ms_destroy %.2f\n", (double)(now_ns() - ending) / 1000000);
    return 0;
}
