/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0859 CF0854
 *
 * Installs a filter in all threads of the process, by which no program can be started any more.
 */
#include "stranger.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

CURFEW_PLUGIN_NOTE();

static void deny_programs(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

struct state {
    unsigned long tasks;
};

static void retire(void *data) {
    free(data);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct state *state = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "no such task");
    state->tasks++;
    if (payload_is(&info, "fail")) return failed(error, "failed, as the payload says");
    if (payload_is(&info, "slow")) {
        for (;;) {
            if (api->is_expired(api, task)) break;
            pause_ms(1);
        }
        return failed(error, "stopped");
    }
    if (state->tasks == 1) deny_programs();
    return CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(error, "no memory");
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        free(state);
        return status;
    }
    info->plugin_data = state;
    info->retire = retire;
    return CURFEW_OK;
}
