/* SPDX-License-Identifier: Apache-2.0 */
/* burners.h: two threads that burn CPU beside the waiting one, as two running tasks do. */
#ifndef CURFEW_BENCH_BURNERS_H
#define CURFEW_BENCH_BURNERS_H

#include <pthread.h>
#include <stdatomic.h>

#include "../measure.h"

struct burners {
    pthread_t threads[2];
    int count;
    _Atomic bool stop;
};

static inline void *burn(void *data) {
    struct burners *burners = data;
    while (!atomic_load_explicit(&burners->stop, memory_order_relaxed)) spin_once();
    return NULL;
}

/* Starts both, or none where `wanted` is false. `burners` begins as zero. */
static inline void start_burners(struct burners *burners, bool wanted) {
    for (; wanted && burners->count < 2; burners->count++)
        if (pthread_create(&burners->threads[burners->count], NULL, burn, burners) != 0)
            fail("no thread to burn CPU with");
}

static inline void stop_burners(struct burners *burners) {
    atomic_store(&burners->stop, true);
    while (burners->count > 0) pthread_join(burners->threads[--burners->count], NULL);
}

#endif /* CURFEW_BENCH_BURNERS_H */
