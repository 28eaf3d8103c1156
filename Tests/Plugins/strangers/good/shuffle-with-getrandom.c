/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Shuffles numbers with bytes of getrandom and sorts them again; the state of rand and random
 * is left alone.
 */
#include "stranger.h"

#include <errno.h>
#include <sys/random.h>

CURFEW_PLUGIN_NOTE();

static int ascending(const void *one, const void *two) {
    unsigned a = *(const unsigned *)one, b = *(const unsigned *)two;
    return (a > b) - (a < b);
}

static curfew_status work(curfew_error *err) {
    unsigned numbers[60], random[60];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return failed(err, strerror(errno));
    for (unsigned i = 0; i < 60; i++)
        numbers[i] = i;
    for (unsigned i = 59; i > 0; i--) {
        unsigned j = random[i] % (i + 1), kept = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = kept;
    }
    qsort(numbers, 60, sizeof numbers[0], ascending);
    for (unsigned i = 0; i < 60; i++)
        if (numbers[i] != i)
            return failed(err, "a number was lost");
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
    return work(err);
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
