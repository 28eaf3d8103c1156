/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Pumps its payload through a pipe to a thread that makes a checksum of it, which ends when the
 * pipe is closed, and is joined.
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct reader {
    int fd;
    unsigned long sum;
    unsigned long bytes;
};

static void *read_all(void *argument) {
    struct reader *self = argument;
    unsigned char block[4096];
    ssize_t count;
    while ((count = read(self->fd, block, sizeof block)) > 0) {
        for (ssize_t i = 0; i < count; i++)
            self->sum = self->sum * 31 + block[i];
        self->bytes += (unsigned long)count;
    }
    return NULL;
}

static curfew_status work(const curfew_task_info *about, curfew_error *err) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return failed(err, strerror(errno));
    struct reader reader = {ends[0], 7, 0};
    pthread_t thread;
    int problem = pthread_create(&thread, NULL, read_all, &reader);
    if (problem == 0) {
        const char *bytes = about->payload;
        uint64_t done = 0;
        while (done < about->payload_bytes) {
            ssize_t count = write(ends[1], bytes + done, about->payload_bytes - done);
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                break;
            done += (uint64_t)count;
        }
    }
    close(ends[1]);
    if (problem == 0)
        pthread_join(thread, NULL);
    close(ends[0]);
    if (problem != 0)
        return failed(err, strerror(problem));
    return reader.bytes == about->payload_bytes ? CURFEW_OK : failed(err, "bytes were lost");
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
