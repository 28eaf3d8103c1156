/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host that is to be killed: host HELPER PROBE MASKED. Its children, two plugins and a program, each
 * with three daemons, keep its standard output open.
 */
#define _GNU_SOURCE
#include "csystem_children.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count != 4) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    csys_spawner spawner;
    csys_greeting greeting;
    int helper = open(words[1], O_RDONLY | O_CLOEXEC);
    if (csys_spawner_start(&spawner, helper) != 0) return 3;
    if (csys_spawner_greeted(&spawner, UINT64_MAX, &greeting) != 0) return 4;
    char *environment[] = {NULL};
    char *program[] = {words[2], "stay", "3", NULL};
    csys_child child = {.library = -1, .manifest = -1, .down = -1, .up = -1, .socket = -1, .output = 1,
                        .errors = 1, .cgroup = -1, .directory = "/", .environment = environment,
                        .program = program};
    int controls[3];
    if (csys_child_start(&spawner, &child, &controls[0]) != 0) return 5;
    child.confinement.masked = (uint32_t)strtoul(words[3], NULL, 0);
    if (csys_child_start(&spawner, &child, &controls[1]) != 0) return 6;
    csys_command command = {.path = program[0], .directory = "/", .arguments = program,
                            .environment = environment, .input = -1, .payload = -1, .output = 1,
                            .errors = 1, .cgroup = -1};
    if (csys_command_start(&spawner, &command, &controls[2]) != 0) return 7;
    for (int index = 0; index < 3; index++) {
        for (;;) {
            struct pollfd wait = {controls[index], POLLIN, 0};
            poll(&wait, 1, -1);
            csys_child_report report;
            if (!csys_child_report_next(controls[index], &report)) continue;
            if (report.kind != csys_report_started) return 8;
            printf("child %d\n", report.value);
            break;
        }
    }
    for (;;) pause();
}
