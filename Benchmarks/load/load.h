/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.h: the plugins that every program of this path loads: PLUGINS of them, which prepare.py made
 * of one, so that all their files are in memory. Once more does each program see to that itself,
 * before time counts.
 */
#ifndef CURFEW_BENCH_LOAD_H
#define CURFEW_BENCH_LOAD_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../measure.h"

enum { PLUGINS = 200, PATH_BYTES = 4096 };

/* The path of a plugin's directory, and of its library. */
static inline void directory_of(char path[PATH_BYTES], const char *plugins, int number) {
    if (snprintf(path, PATH_BYTES, "%s/%03d", plugins, number) >= PATH_BYTES)
        fail("%s: the path is too long", plugins);
}

static inline void library_of(char path[PATH_BYTES], const char *plugins, int number) {
    if (snprintf(path, PATH_BYTES, "%s/%03d/libload%03d.so", plugins, number, number) >= PATH_BYTES)
        fail("%s: the path is too long", plugins);
}

static inline void read_file(const char *path) {
    char buffer[65536];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) fail("%s: %s", path, strerror(errno));
    while (read(file, buffer, sizeof buffer) > 0) {
    }
    close(file);
}

/* Reads every library once. */
static inline void read_plugins(const char *plugins, int count) {
    char path[PATH_BYTES];
    for (int i = 0; i < count; i++) {
        library_of(path, plugins, i);
        read_file(path);
    }
}

static inline void print_us_per_plugin(uint64_t started_ns, uint64_t ended_ns) {
    printf("us_per_plugin %.2f\n", (double)(ended_ns - started_ns) / 1000 / PLUGINS);
}

#endif /* CURFEW_BENCH_LOAD_H */
