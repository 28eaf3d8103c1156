/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/syscall.h>

/* A program of the user's own, unless its manifest says what it needs. It keeps its rights as root: those
 * that the filter and the rules leave are about files. */
void run_program(beginning *child) {
    const order *given = child->given;
    const bool confined = is_confined(given);
    setsid();
    die_with_supervisor(child);
    if (chdir(child->text.directory) != 0) fail(child, csys_failure_directory);
    int rules = landlock_rules(child, confined);
    child->told = moved_up(child, child->told);
    rules = moved_up(child, rules);
    int input = moved_up(child, given->places[csys_place_input]);
    int payload = moved_up(child, given->places[csys_place_payload]);
    int output = moved_up(child, given->places[csys_place_output]);
    int errors = moved_up(child, given->places[csys_place_errors]);
    if (input >= 0) dup2(input, 0);
    if (output >= 0) dup2(output, 1);
    if (errors >= 0) dup2(errors, 2);
    if (payload >= 0) dup2(payload, 3);
    syscall(SYS_close_range, payload >= 0 ? 4U : 3U, ~0U, CLOSE_RANGE_CLOEXEC);
    set_limits(child, false);
    if (confined) {
        forbid_new_privileges(child);
        landlock_enter(child, rules);
        filter_enter(child);
    }
    tell_features(child);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(child->text.path, child->text.arguments, child->text.environment);
    fail(child, csys_failure_execute);
}
