/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Uses the threads of C11: a mutex, a condition, call_once and two threads that are joined.
 */
#include "stranger.h"

#include <stdatomic.h>
#include <threads.h>

CURFEW_PLUGIN_NOTE();

static once_flag flag = ONCE_FLAG_INIT;
static atomic_uint seed;

static void plant(void) {
    atomic_store(&seed, 17);
}

struct counter {
    mtx_t lock;
    unsigned value;
};

static int count(void *argument) {
    struct counter *counter = argument;
    for (unsigned i = 0; i < 1000; i++) {
        mtx_lock(&counter->lock);
        counter->value += atomic_load(&seed);
        mtx_unlock(&counter->lock);
    }
    return 0;
}

static curfew_status work(curfew_error *err) {
    struct counter counter = {.value = 0};
    thrd_t one, two;
    call_once(&flag, plant);
    if (mtx_init(&counter.lock, mtx_plain) != thrd_success)
        return failed(err, "no mutex");
    bool first = thrd_create(&one, count, &counter) == thrd_success;
    bool second = thrd_create(&two, count, &counter) == thrd_success;
    if (first)
        thrd_join(one, NULL);
    if (second)
        thrd_join(two, NULL);
    mtx_destroy(&counter.lock);
    if (!first || !second)
        return failed(err, "no thread");
    return counter.value == 34000 ? CURFEW_OK : failed(err, "a count was lost");
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
