/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long it takes from the order for a plugin's process until that is confined, with the frames that
 * a host sends. The load of the plugin follows and is not measured.
 *
 *     begin HELPER
 *
 * ms is the median of STARTS, and true_ms that of as many runs of /bin/true, from posix_spawn until it
 * was waited for. They take turns, each after the same pause, in which the next supervisor is forked: a
 * plugin is not started again at once either.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../measure.h"
#include "csystem.h"
#include "csystem_children.h"

enum { STARTS = 50, PAUSE_US = 20000 };
static const uint64_t limit_ns = UINT64_C(5000000000);

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double begin_one(const csys_spawner *spawner) {
    char *environment[] = {NULL};
    const csys_child child = {.library = -1, .manifest = -1, .down = -1, .up = -1, .socket = -1,
                              .output = -1, .errors = -1, .cgroup = -1, .directory = "/",
                              .environment = environment};
    int32_t control;
    const uint64_t started = now_ns();
    const int32_t error = csys_child_start(spawner, &child, &control);
    if (error != 0) fail("no process was started: %s", strerror(error));
    for (;;) {
        struct pollfd wait = {control, POLLIN, 0};
        if (poll(&wait, 1, (int)(limit_ns / 1000000)) != 1) fail("no report has come");
        csys_child_report report;
        if (!csys_child_report_next(control, &report)) continue;
        const uint64_t ended = now_ns();
        if (report.kind != csys_report_started) fail("report %u has come", report.kind);
        close(control);
        return (double)(ended - started) / 1e6;
    }
}

static double run_true(void) {
    char *command[] = {"/bin/true", NULL}, *environment[] = {NULL};
    pid_t child;
    int status;
    const uint64_t started = now_ns();
    const int error = posix_spawn(&child, command[0], NULL, NULL, command, environment);
    if (error != 0) fail("%s: %s", command[0], strerror(error));
    if (waitpid(child, &status, 0) != child || status != 0) fail("%s has failed", command[0]);
    return (double)(now_ns() - started) / 1e6;
}

static double median(double *ms) {
    qsort(ms, STARTS, sizeof ms[0], compare);
    return (ms[STARTS / 2 - 1] + ms[STARTS / 2]) / 2;
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: begin HELPER");
    const int helper = open(argv[1], O_RDONLY | O_CLOEXEC);
    if (helper < 0) fail("%s: %s", argv[1], strerror(errno));
    csys_spawner spawner;
    csys_greeting greeting;
    const int32_t error = csys_spawner_start(&spawner, helper);
    if (error != 0 || csys_spawner_greeted(&spawner, now_ns() + limit_ns, &greeting) != 0)
        fail("%s does not run", argv[1]);
    double ms[STARTS], true_ms[STARTS];
    begin_one(&spawner);
    for (int i = 0; i < STARTS; i++) {
        usleep(PAUSE_US);
        ms[i] = begin_one(&spawner);
        usleep(PAUSE_US);
        true_ms[i] = run_true();
    }
    csys_spawner_stop(&spawner, now_ns() + limit_ns);
    printf("ms %.3f\ntrue_ms %.3f\n", median(ms), median(true_ms));
    return 0;
}
