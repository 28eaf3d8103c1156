/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_commands.h: programs as children, with everything that they start.
 *
 * A host starts one spawner, a child that runs nothing but the code of commands.c. For each program the
 * spawner forks a supervisor, which starts the program in a session of its own, adopts the orphans of
 * it (PR_SET_CHILD_SUBREAPER), and kills what is left when the program has ended, when it is told to,
 * or when the host or the spawner has ended. The host itself adopts nothing and handles no SIGCHLD:
 * the spawner ends without a signal, and only waitid(2) with __WALL sees it.
 */
#ifndef CSYSTEM_COMMANDS_H
#define CSYSTEM_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct csys_spawner {
    int32_t socket;
    int32_t process; /* a pidfd */
} csys_spawner;

/* Starts a spawner. Returns 0 or an errno. */
int32_t csys_spawner_start(csys_spawner *spawner);
/* Lets a spawner that a program has stopped go on. It does the same for supervisors by itself. */
void csys_spawner_resume(const csys_spawner *spawner);
/* Ends a spawner, whose programs are killed, and waits until a CLOCK_MONOTONIC time. Returns false when
 * it has not ended by then. */
bool csys_spawner_stop(csys_spawner *spawner, uint64_t until_ns);

typedef struct csys_command {
    const char *path;
    const char *directory;
    char *const *arguments;   /* ends with NULL */
    char *const *environment; /* ends with NULL */
    int32_t input;            /* standard input; -1: /dev/null */
    int32_t payload;          /* becomes descriptor 3; -1: none */
    int32_t output;
    int32_t errors;
} csys_command;

/* Asks a spawner to start a program. On success `control` is a non-blocking socket: it receives
 * reports, and takes orders. Closing it kills the program. The descriptors stay the caller's. Returns
 * 0 or an errno. */
int32_t csys_command_start(const csys_spawner *spawner, const csys_command *command, int32_t *control);

enum { csys_order_terminate = 'T', csys_order_kill = 'K' };
void csys_command_order(int32_t control, int32_t order);

enum {
    csys_report_started = 1, /* value: its process id */
    csys_report_failed = 2,  /* value: an errno; it was not started */
    csys_report_ended = 3,   /* value: its exit status, or minus the signal's number */
    csys_report_lost = 4     /* the supervisor has ended without a report */
};
enum { csys_failure_fork = 1, csys_failure_directory = 2, csys_failure_execute = 3 };

typedef struct csys_command_report {
    uint32_t kind;
    int32_t value;
    uint32_t failure;   /* of csys_report_failed */
    uint32_t survivors; /* processes that the supervisor has no right to kill */
    /* Of the program and of all that it started. */
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t memory_bytes; /* the most that one of its processes had */
    uint64_t read_bytes;   /* from storage */
    uint64_t written_bytes;
} csys_command_report;

/* Receives a report. Returns false when none has come. */
bool csys_command_report_next(int32_t control, csys_command_report *report);

/* Returns a descriptor of an anonymous file with this content, which cannot be changed; -1 with errno. */
int32_t csys_sealed_file(const void *bytes, uint64_t count);

/* epoll(7), level-triggered. */
int32_t csys_poller(void);
bool csys_poller_add(int32_t poller, int32_t descriptor);
void csys_poller_remove(int32_t poller, int32_t descriptor);
/* Waits until one of them is readable, at most so many milliseconds (-1: for ever); returns how many are,
 * at most `capacity`. */
int32_t csys_poller_wait(int32_t poller, int32_t *descriptors, int32_t capacity, int32_t limit_ms);

/* read(2) of a pipe that was made non-blocking: the number of bytes, 0 at its end, -1 while there are
 * none. */
int64_t csys_read_available(int32_t descriptor, void *bytes, uint64_t capacity);
void csys_make_nonblocking(int32_t descriptor);

#endif /* CSYSTEM_COMMANDS_H */
