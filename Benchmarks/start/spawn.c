/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a whole process takes, from posix_spawn until it was waited for.
 *
 *     spawn COUNT -- COMMAND [ARGUMENT]…
 *
 * The command is run COUNT times, one after the other; ms and cpu_ms (in user mode and in the
 * kernel) are medians of that, peak_kib is the largest resident size. It is looked for on the PATH
 * once and before, reads nothing, and writes to /dev/null. Each run must end with 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../measure.h"

enum { MOST = 1000 };
extern char **environ;

static double wall_ms[MOST], cpu_ms[MOST];
static long peak_kib;

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof values[0], compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The file that a shell would run, so that looking for it is not measured. */
static const char *find(const char *command) {
    static char path[4096];
    const char *directories = getenv("PATH");
    if (strchr(command, '/') != NULL || directories == NULL) return command;
    while (*directories != '\0') {
        const size_t length = strcspn(directories, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, directories, command);
        if (access(path, X_OK) == 0) return path;
        directories += length + (directories[length] == ':');
    }
    fail("%s is not on the PATH", command);
}

static void run(const char *path, char **command, const posix_spawn_file_actions_t *files, int i) {
    pid_t child;
    int status;
    struct rusage usage;
    const uint64_t started = now_ns();
    const int code = posix_spawn(&child, path, files, NULL, command, environ);
    if (code != 0) fail("%s: %s", path, strerror(code));
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR) fail("wait4: %s", strerror(errno));
    wall_ms[i] = (double)(now_ns() - started) / 1e6;
    if (status != 0) fail("%s: status 0x%x", path, (unsigned)status);
    cpu_ms[i] = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
                (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
    if (usage.ru_maxrss > peak_kib) peak_kib = usage.ru_maxrss;
}

int main(int argc, char **argv) {
    const int count = argc > 3 ? atoi(argv[1]) : 0;
    if (count < 1 || count > MOST || strcmp(argv[2], "--") != 0)
        fail("usage: spawn COUNT -- COMMAND [ARGUMENT]…, with a COUNT of at most %d", MOST);
    const char *path = find(argv[3]);
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files) != 0 ||
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) != 0 ||
        posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) != 0)
        fail("no file actions");
    for (int i = 0; i < count; i++) run(path, argv + 3, &files, i);
    posix_spawn_file_actions_destroy(&files);
    printf("ms %.3f\ncpu_ms %.3f\npeak_kib %ld\n", median(wall_ms, count), median(cpu_ms, count),
           peak_kib);
    return 0;
}
