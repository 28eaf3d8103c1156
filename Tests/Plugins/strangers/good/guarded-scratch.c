/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Maps scratch memory between two pages without access, works in it, and unmaps it.
 */
#include "stranger.h"

#include <errno.h>
#include <sys/mman.h>

CURFEW_PLUGIN_NOTE();

static curfew_status work(curfew_error *error) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = 18 * page;
    char *area = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) return failed(error, strerror(errno));
    unsigned long sum = 0;
    bool open = mprotect(area + page, whole - 2 * page, PROT_READ | PROT_WRITE) == 0;
    if (open) {
        unsigned char *scratch = (unsigned char *)area + page;
        for (size_t i = 0; i < whole - 2 * page; i++) scratch[i] = (unsigned char)(i * 7);
        for (size_t i = 0; i < whole - 2 * page; i++) sum += scratch[i];
        madvise(area + page, whole - 2 * page, MADV_DONTNEED);
    }
    munmap(area, whole);
    return open && sum != 0 ? CURFEW_OK : failed(error, "no scratch memory");
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return work(error);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
