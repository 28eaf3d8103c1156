/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Copies its payload, puts a NUL behind the copy, and turns the numbers in it into an array of
 * JSON, with strtod and a growing buffer.
 */
#include "stranger.h"

#include <ctype.h>
#include <math.h>

CURFEW_PLUGIN_NOTE();

struct text {
    char *bytes;
    size_t used, size;
};

static bool append(struct text *text, const char *what) {
    size_t count = strlen(what);
    if (text->used + count + 1 > text->size) {
        size_t size = (text->used + count + 1) * 2;
        char *bytes = realloc(text->bytes, size);
        if (bytes == NULL)
            return false;
        text->bytes = bytes;
        text->size = size;
    }
    memcpy(text->bytes + text->used, what, count + 1);
    text->used += count;
    return true;
}

static curfew_status work(const curfew_host_api *host, curfew_task id,
                          const curfew_task_info *about, curfew_error *err) {
    char *copy = malloc(about->payload_bytes + 1);
    if (copy == NULL)
        return failed(err, "out of memory");
    if (about->payload_bytes > 0)
        memcpy(copy, about->payload, about->payload_bytes);
    copy[about->payload_bytes] = 0;

    struct text json = {0};
    bool fits = append(&json, "[");
    for (char *at = copy; fits && *at != 0 && json.used < 30000;) {
        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        char *end, number[40];
        double value = strtod(at, &end);
        if (end == at || !isfinite(value)) {
            at = end == at ? at + 1 : end;
            continue;
        }
        snprintf(number, sizeof number, "%s%.17g", json.used > 1 ? "," : "", value);
        fits = append(&json, number);
        at = end;
    }
    fits = fits && append(&json, "]");
    if (fits)
        host->complete(host, id, CURFEW_OK, NULL, 0, json.bytes, json.used);
    free(json.bytes);
    free(copy);
    return fits ? CURFEW_OK : failed(err, "out of memory");
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(host, id, &about, err);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
