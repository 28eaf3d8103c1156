/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Uses the streams of glibc: open_memstream, fmemopen with getline, and a stream of its own that
 * upper-cases.
 */
#include "stranger.h"

#include <ctype.h>
#include <sys/types.h>

CURFEW_PLUGIN_NOTE();

struct upper {
    FILE *to;
};

static ssize_t upper_write(void *cookie, const char *text, size_t bytes) {
    struct upper *upper = cookie;
    for (size_t i = 0; i < bytes; i++)
        if (fputc(toupper((unsigned char)text[i]), upper->to) == EOF) return 0;
    return (ssize_t)bytes;
}

static bool fill(FILE *lines, struct upper *upper) {
    const cookie_io_functions_t functions = {.write = upper_write};
    FILE *stream = fopencookie(upper, "w", functions);
    if (stream == NULL) return false;
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    for (ssize_t length; ok && (length = getline(&line, &room, lines)) > 0;)
        ok = fprintf(stream, "%zd:%s", length, line) > 0;
    free(line);
    return fclose(stream) == 0 && ok;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    do {
        char source[] = "one\ntwo\nthree\n";
        char *text = NULL;
        size_t bytes = 0;
        FILE *lines = fmemopen(source, strlen(source), "r");
        if (lines == NULL) return failed(error, "no stream to read");
        struct upper upper = {.to = open_memstream(&text, &bytes)};
        if (upper.to == NULL) {
            fclose(lines);
            return failed(error, "no stream in memory");
        }
        const bool filled = fill(lines, &upper);
        fclose(lines);
        const bool ok = fclose(upper.to) == 0 && filled && bytes == 20 &&
                        memcmp(text, "4:ONE\n4:TWO\n6:THREE\n", bytes) == 0;
        free(text);
        if (!ok) return failed(error, "the streams lost something");
        if (slow) pause_ms(3);
    } while (slow && !api->is_expired(api, task));
    return slow ? failed(error, "told to stop") : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}
