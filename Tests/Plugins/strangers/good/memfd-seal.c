/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Fills a memfd through a mapping, advises the kernel, seals it and reads it through a second
 * mapping.
 */
#include "stranger.h"

#include <fcntl.h>
#include <sys/mman.h>

CURFEW_PLUGIN_NOTE();

enum { SIZE = 256 * 1024 };

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    while (slow && !api->is_expired(api, task)) pause_ms(5);
    if (slow) return failed(error, "told to stop");
    const int fd = memfd_create("f-memfd-seal", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return failed(error, "no memfd");
    /* posix_fallocate, so that a full system is an error here and no SIGBUS below. */
    if (posix_fallocate(fd, 0, SIZE) != 0) {
        close(fd);
        return failed(error, "no room in memory");
    }
    const char *fault = "no mapping";
    unsigned char *bytes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes != MAP_FAILED) {
        madvise(bytes, SIZE, MADV_SEQUENTIAL);
        madvise(bytes, SIZE, MADV_DONTFORK);
        for (size_t i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(i * 7 + i / 251);
        munmap(bytes, SIZE);
        if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
            fault = "no seal";
        else {
            const unsigned char *sealed = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
            if (sealed != MAP_FAILED) {
                unsigned sum = 0;
                for (size_t i = 0; i < SIZE; i++) sum = sum * 31 + sealed[i];
                char text[32];
                const int length = snprintf(text, sizeof text, "%08x", sum);
                munmap((void *)sealed, SIZE);
                const curfew_status answer =
                    api->complete(api, task, CURFEW_OK, NULL, 0, text, (uint64_t)length);
                fault = answer == CURFEW_EXHAUSTED ? "the host did not take the result" : NULL;
            }
        }
    }
    close(fd);
    return fault == NULL ? CURFEW_OK : failed(error, fault);
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
