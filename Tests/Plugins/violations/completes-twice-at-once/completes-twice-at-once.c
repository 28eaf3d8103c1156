/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves its task to two threads, which complete it at the same moment with different answers. */
#include "../violation.h"

#include <pthread.h>

typedef struct racer {
    const curfew_host_api *api;
    curfew_task task;
    pthread_barrier_t *start;
    curfew_status answer, verdict;
} racer;

static void *race(void *argument) {
    racer *self = argument;
    pthread_barrier_wait(self->start);
    self->verdict = self->api->complete(self->api, self->task, self->answer, NULL, 0, NULL, 0);
    return NULL;
}

static void *judge(void *argument) {
    const racer *given = argument;
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, 2);
    racer racers[2] = {*given, *given};
    racers[1].answer = CURFEW_FAILED;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        racers[i].start = &start;
        pthread_create(&threads[i], NULL, race, &racers[i]);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    free(argument);
    const int winner = racers[0].verdict == CURFEW_OK ? 0 : 1;
    note("winner", racers[winner].verdict);
    note("loser", racers[1 - winner].verdict);
    return NULL;
}

RUN(run) {
    UNUSED, (void)host_error;
    racer *given = calloc(1, sizeof *given);
    *given = (racer){.api = api, .task = task};
    pthread_t thread;
    if (pthread_create(&thread, NULL, judge, given) != 0) return CURFEW_FAILED;
    pthread_detach(thread);
    return CURFEW_PENDING;
}

MISDEED("org.curfew.violation.completes-twice-at-once", run, NULL)
