/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Leaves a deep recursion with longjmp, never past a frame of the host's, and frees on the way
 * what it made.
 */
#include "stranger.h"

#include <setjmp.h>

CURFEW_PLUGIN_NOTE();

struct parser {
    const char *at, *end;
    jmp_buf broken;
    unsigned deepest;
};

static void nested(struct parser *parser, unsigned depth) {
    if (depth > 100)
        longjmp(parser->broken, 1);
    if (depth > parser->deepest)
        parser->deepest = depth;
    while (parser->at < parser->end) {
        char letter = *parser->at++;
        if (letter == ')')
            return;
        if (letter == '(')
            nested(parser, depth + 1);
    }
}

static curfew_status work(const curfew_task_info *about, curfew_error *err) {
    struct parser parser = {.at = about->payload, .deepest = 0};
    if (about->payload_bytes > 0)
        parser.end = parser.at + about->payload_bytes;
    else
        parser.end = parser.at;
    if (setjmp(parser.broken) != 0)
        return failed(err, "too many parentheses");
    nested(&parser, 0);
    return CURFEW_OK;
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
    return work(&about, err);
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
