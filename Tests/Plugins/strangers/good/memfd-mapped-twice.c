/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Makes an anonymous file in memory and maps it at two addresses, so that what is written at
 * one appears at the other. Both mappings and the descriptor are gone at the end.
 */
#include "stranger.h"

#include <errno.h>
#include <sys/mman.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(const curfew_task_info *about, curfew_error *err) {
    const size_t size = 1 << 16;
    curfew_status status = CURFEW_SYSTEM;
    int fd = memfd_create("mirror", MFD_CLOEXEC);
    if (fd < 0)
        return failed(err, strerror(errno));
    char *one = MAP_FAILED, *two = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) != 0)
        goto out;
    one = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    two = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (one == MAP_FAILED || two == MAP_FAILED)
        goto out;
    size_t count = about->payload_bytes < size ? about->payload_bytes : size;
    if (count > 0)
        memcpy(one, about->payload, count);
    if (memcmp(one, two, size) == 0)
        status = CURFEW_OK;
out:
    if (status != CURFEW_OK)
        snprintf(err->message, sizeof err->message, "memory file: %s", strerror(errno));
    if (one != MAP_FAILED)
        munmap(one, size);
    if (two != MAP_FAILED)
        munmap(two, size);
    close(fd);
    return status;
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
