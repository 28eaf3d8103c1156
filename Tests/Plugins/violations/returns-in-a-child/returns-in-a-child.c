/* SPDX-License-Identifier: Apache-2.0 */
/* Forks, and lets the child return where only the parent should: from its function, also by the bare
 * system call, which calls no handler of pthread_atfork; from its expiration callback; from its
 * entry; or when it is retired. Or calls the host's functions in the child. */
#include "../violation.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns in the child at once, and in the parent once the child has ended. */
static void fork_and_return(void) {
    pid_t child = form_is("bare") ? (pid_t)syscall(SYS_fork) : fork();
    if (child == 0) return;
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) status = -1;
    note("child", WIFEXITED(status) ? WEXITSTATUS(status) : -status);
}

/* Calls the host's functions in the child, which ends properly. */
static void call_in_child(const curfew_host_api *api, curfew_task task) {
    pid_t child = fork();
    if (child == 0) {
        int answers = api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0) == CURFEW_CLOSING;
        answers |= (api->keep(api, task) == CURFEW_STALE) << 1;
        answers |= api->is_expired(api, task) << 2;
        api->log(api, task, CURFEW_LOG_ERROR, "in the child", 12);
        _exit(answers);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) status = -1;
    note("answers", WIFEXITED(status) ? WEXITSTATUS(status) : -status);
}

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    if (form_is("expired")) return CURFEW_PENDING;
    if (form_is("calls")) call_in_child(api, task);
    if (form_is("run") || form_is("bare")) fork_and_return();
    return CURFEW_OK;
}

EXPIRED(expired) {
    (void)handler_data, (void)reason;
    fork_and_return();
    api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0);
}

static void retire(void *plugin_data) {
    (void)plugin_data;
    fork_and_return();
}

MISDEED_ENTRY(
    if (form_is("entry")) fork_and_return();
    if (form_is("retire")) host_info->retire = retire;
    return register_as(api, "org.curfew.violation.returns-in-a-child", run, expired, host_error);)
