/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Reads a file with the asynchronous requests of the kernel, in a context that it destroys.
 */
#include "stranger.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>

CURFEW_PLUGIN_NOTE();

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
    FILE *file = tmpfile();
    if (file == NULL) return failed(error, "no temporary file");
    curfew_status status = CURFEW_OK;
    aio_context_t context = 0;
    static const char text[] = "asynchronous";
    char buffer[32] = "";
    if (pwrite(fileno(file), text, sizeof text, 0) != (ssize_t)sizeof text)
        status = failed(error, "could not write");
    else if (syscall(SYS_io_setup, 4, &context) != 0)
        status = failed(error, "no context");
    else {
        struct iocb request = {.aio_fildes = (uint32_t)fileno(file),
                               .aio_lio_opcode = IOCB_CMD_PREAD,
                               .aio_buf = (uint64_t)(uintptr_t)buffer,
                               .aio_nbytes = sizeof text};
        struct iocb *requests[1] = {&request};
        struct io_event event;
        if (syscall(SYS_io_submit, context, 1L, requests) != 1 ||
            syscall(SYS_io_getevents, context, 1L, 1L, &event, NULL) != 1 ||
            event.res != (int64_t)sizeof text || memcmp(buffer, text, sizeof text) != 0)
            status = failed(error, "could not read");
        syscall(SYS_io_destroy, context);
    }
    fclose(file);
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
