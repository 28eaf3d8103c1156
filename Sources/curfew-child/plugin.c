/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* ChildRuntime: loads the plugin and serves its host. */
extern void curfew_child_run(const csys_child_start_info *start);

/* Until the child is confined it needs three descriptors besides those of the plugin. */
enum { told_place = csys_child_socket + 1, control_place, rules_place };

/* Closes every descriptor but standard input and output, those of the plugin, at their numbers, and
 * those of the start. */
static void place_descriptors(beginning *child, int *rules) {
    static const int numbers[csys_place_count] = {
        [csys_place_output] = STDOUT_FILENO,     [csys_place_errors] = STDERR_FILENO,
        [csys_place_library] = csys_child_library, [csys_place_manifest] = csys_child_manifest,
        [csys_place_down] = csys_child_down,     [csys_place_up] = csys_child_up,
        [csys_place_socket] = csys_child_socket,
    };
    int moved[csys_place_count];
    for (int place = 0; place < csys_place_count; place++)
        moved[place] = numbers[place] == 0 ? -1 : moved_up(child, child->given->places[place]);
    int told = moved_up(child, child->told), control = moved_up(child, child->given->control);
    int ruleset = moved_up(child, *rules);
    /* Standard input, and output that nothing reads, is /dev/null, which the spawner has opened. */
    syscall(SYS_close_range, STDERR_FILENO + 1, rules_place, 0);
    for (int place = 0; place < csys_place_count; place++)
        if (moved[place] >= 0) dup2(moved[place], numbers[place]);
    dup3(told, told_place, O_CLOEXEC);
    dup3(control, control_place, O_CLOEXEC);
    if (ruleset >= 0) dup3(ruleset, rules_place, O_CLOEXEC);
    syscall(SYS_close_range, rules_place + 1, ~0U, 0);
    child->told = told_place;
    *rules = ruleset >= 0 ? rules_place : -1;
}

static int present(const order *given, enum csys_place place, int number) {
    return given->places[place] < 0 ? -1 : number;
}

/* The order matters: rules need files, credentials clear the death signal, and nothing foreign runs
 * before the last line. */
void run_plugin(beginning *child) {
    const order *given = child->given;
    setsid();
    prctl(PR_SET_NAME, "curfew-child", 0, 0, 0);
    if (chdir(child->text.directory) != 0) fail(child, csys_failure_directory);
    int rules = landlock_rules(child, true);
    place_descriptors(child, &rules);
    be_first_without_memory(child);
    set_limits(child, true);
    drop_capabilities(child);
    die_with_supervisor(child);
    forbid_new_privileges(child);
    landlock_enter(child, rules);
    filter_enter(child);
    report_confined(child, control_place);
    close(control_place);
    close(child->told);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    environ = child->text.environment;
#ifdef DEBUG
    if (child->text.path != NULL) {
        execve(child->text.path, child->text.arguments, child->text.environment);
        _exit(127);
    }
#endif
    csys_child_start_info start = {
        .library = present(given, csys_place_library, csys_child_library),
        .manifest = present(given, csys_place_manifest, csys_child_manifest),
        .down = present(given, csys_place_down, csys_child_down),
        .up = present(given, csys_place_up, csys_child_up),
        .socket = present(given, csys_place_socket, csys_child_socket),
        .features = child->features,
    };
    /* What it prints is logged: lines are to come when they are written. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    curfew_child_run(&start);
    _exit(70);
}
