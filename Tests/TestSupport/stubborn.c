/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that does not want to end: it ignores SIGTERM and SIGHUP, and has a child, one in a session
 * of its own, and one that was given away twice. Each appends its number to a file, and waits for ever.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void stay(const char *file) {
    int place = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    char text[32];
    int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
    if (place < 0 || write(place, text, (size_t)length) != length) _exit(1);
    close(place);
    for (;;) pause();
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    if (fork() == 0) stay(arguments[1]);
    if (fork() == 0) {
        setsid();
        stay(arguments[1]);
    }
    if (fork() == 0) {
        setsid();
        if (fork() != 0) _exit(0);
        setsid();
        if (fork() != 0) _exit(0);
        stay(arguments[1]);
    }
    stay(arguments[1]);
    return 0;
}
