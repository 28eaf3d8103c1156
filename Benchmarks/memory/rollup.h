/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rollup.h: how much memory this process has, as the kernel counts it.
 *
 * rss: all pages that are there, those of libraries' files too, which it may share with others.
 * pss: the same with shared pages divided among those who share them.
 * anonymous: pages of no file, which are its own: the heap, stacks, what was written of libraries.
 */
#ifndef CURFEW_BENCH_ROLLUP_H
#define CURFEW_BENCH_ROLLUP_H

#include "../measure.h"

struct rollup {
    long rss_kib, pss_kib, anonymous_kib;
};

static inline struct rollup read_rollup(void) {
    struct rollup rollup = {-1, -1, -1};
    FILE *file = fopen("/proc/self/smaps_rollup", "re");
    if (file == NULL) fail("no /proc/self/smaps_rollup");
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "Rss: %ld", &rollup.rss_kib);
        (void)sscanf(line, "Pss: %ld", &rollup.pss_kib);
        (void)sscanf(line, "Anonymous: %ld", &rollup.anonymous_kib);
    }
    fclose(file);
    if (rollup.rss_kib < 0 || rollup.pss_kib < 0 || rollup.anonymous_kib < 0)
        fail("odd /proc/self/smaps_rollup");
    return rollup;
}

static inline void print_bytes_each(const struct rollup *before, const struct rollup *after,
                                    int count) {
    printf("bytes_each %.1f\n", (double)(after->rss_kib - before->rss_kib) * 1024 / count);
}

#endif /* CURFEW_BENCH_ROLLUP_H */
