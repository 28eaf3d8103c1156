/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Passes messages through a POSIX queue whose name it removes at once, by priority and with an
 * absolute time limit.
 *
 * flags: -lrt
 */
#include "stranger.h"

#include <fcntl.h>
#include <mqueue.h>
#include <sys/random.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    char name[64];
    uint64_t unique;
    if (getrandom(&unique, sizeof unique, 0) != (ssize_t)sizeof unique)
        return failed(error, "no random name");
    snprintf(name, sizeof name, "/f-mq-loop-%016llx", (unsigned long long)unique);
    struct mq_attr limits = {.mq_maxmsg = 4, .mq_msgsize = 32};
    const mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &limits);
    if (queue == (mqd_t)-1) return failed(error, "no queue of messages");
    mq_unlink(name);
    curfew_status status = CURFEW_OK;
    char text[32];
    unsigned priority;
    if (mq_send(queue, "later", 5, 1) != 0 || mq_send(queue, "first", 5, 9) != 0 ||
        mq_receive(queue, text, sizeof text, &priority) != 5 || priority != 9 ||
        mq_receive(queue, text, sizeof text, &priority) != 5 || memcmp(text, "later", 5) != 0)
        status = failed(error, "the messages came in a wrong order");
    while (slow && status == CURFEW_OK) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        mq_timedreceive(queue, text, sizeof text, &priority, &until);
        if (api->is_expired(api, task)) status = failed(error, "told to stop");
    }
    mq_close(queue);
    return status;
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
