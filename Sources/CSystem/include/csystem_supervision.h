/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_supervision.h: a child process with a supervisor of its own, which ends it with everything that
 * it started.
 *
 * The supervisor is a copy of this process, made by fork(2), that runs this file's code alone. It adopts
 * the orphans of the child, so that those of two children are never taken for each other's, and kills them
 * when the child has ended, when it is told to, or when this process has ended.
 */
#ifndef CSYSTEM_SUPERVISION_H
#define CSYSTEM_SUPERVISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct csys_supervisor {
    int32_t process;
    int32_t descriptor; /* a pidfd, -1 where the kernel has none: readable once the process has ended */
    int32_t report;
} csys_supervisor;

/* Where the descriptors 0, 1 and 2 of the child come from, and another one, by its number. */
typedef struct csys_streams {
    int32_t input, output, errors;
    int32_t report, report_number;
} csys_streams;

typedef struct csys_supervised_end {
    int32_t error;  /* why it was not started, an errno; 0: it was */
    int32_t status; /* as of wait(2) */
} csys_supervised_end;

/* Starts a child that executes `program`, in a session of its own, with the usual signals. Returns 0 or an
 * errno. If this process has ended before the child, the supervisor removes `directory`, unless it is NULL. The calling thread must not end before the supervisor, which it takes for the end of the process. */
int32_t csys_supervise(const char *program, char *const *arguments, char *const *environment,
                       const char *directory, csys_streams streams, csys_supervisor *supervisor);
/* Has it end the child and everything else, and itself then. Any thread may call. */
void csys_supervisor_stop(int32_t process);
/* Whether it has ended. */
bool csys_supervisor_has_ended(const csys_supervisor *supervisor);
/* Waits until it has ended; at a CLOCK_MONOTONIC time it is killed. */
void csys_supervisor_await(int32_t process, uint64_t until_ns);
/* Releases a supervisor; one that has not ended by a CLOCK_MONOTONIC time is killed. Returns false if it has
 * not told how the child ended: it was killed, or the child was ended by its order. It has to be reaped then, and
 * what it should have killed to be killed, by csys_kill_orphans. */
bool csys_supervisor_end(csys_supervisor *supervisor, uint64_t until_ns, csys_supervised_end *end);
/* Kills and reaps the processes below this one, but for some of its children and what is below them. */
void csys_kill_orphans(const int32_t *except, size_t count);

#endif /* CSYSTEM_SUPERVISION_H */
