/* SPDX-License-Identifier: Apache-2.0 */
/* Takes all that it gets of one thing: processes, memory, descriptors, files in memory, or bytes of a
 * file. Each has a bound of its own here besides, for a machine whose limits do not hold. */
#include "../violation.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/types.h>

enum { most_processes = 100, most_mebibytes = 512, most_descriptors = 1000 };

/* Children that block every signal and stay. */
static void take_processes(void) {
    int64_t count = 0;
    for (; count < most_processes; count++) {
        const pid_t child = fork();
        if (child < 0) break;
        if (child > 0) continue;
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        for (;;) pause();
    }
    note("processes", count);
}

static void take_memory(void) {
    int64_t count = 0;
    for (; count < most_mebibytes; count++) {
        char *piece = malloc(1 << 20);
        if (piece == NULL) break;
        memset(piece, 1, 1 << 20);
        __asm__ volatile("" : : "r"(piece) : "memory");
    }
    note("mebibytes", count);
}

static void take_descriptors(bool in_memory) {
    int64_t count = 0;
    hold_line();
    while (count < most_descriptors &&
           (in_memory ? memfd_create("bomb", 0) : open("/dev/null", O_RDONLY)) >= 0)
        count++;
    note("descriptors", count);
}

/* One byte beyond 1 GiB: a file with a hole takes no room if it can be written. */
static void write_far(void) {
    char path[300];
    const char *directory = getenv("CACHE_DIRECTORY");
    snprintf(path, sizeof path, "%s/bomb", directory == NULL ? "" : directory);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    note("file", file < 0 ? errno : 0);
    note("written", pwrite(file, "x", 1, (off_t)1 << 30));
}

RUN(run) {
    UNUSED, (void)host_error;
    if (form_is("processes")) take_processes();
    if (form_is("memory")) take_memory();
    if (form_is("descriptors")) take_descriptors(false);
    if (form_is("files in memory")) take_descriptors(true);
    note("begun", 0);
    wait_for("go");
    if (form_is("bytes of a file")) write_far();
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.bombs", run, NULL)
