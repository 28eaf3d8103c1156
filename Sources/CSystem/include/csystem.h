/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem.h: the few calls of Linux that Swift's Glibc module does not reach, and the thread-local
 * words of a host's threads. Prototypes, and what every task reads inline; the GNU headers stay in
 * the C files. Every function has the meaning of the call it is named after.
 */
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/* The text of a curfew_status, from the one list in curfew/types.h, or NULL. */
const char *csys_status_text(int32_t status);
/* Its name in that list, WRONG_STATE, or NULL. */
const char *csys_status_name(int32_t status);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t csys_monotonic_ns(void);

/* futex(2), process-private. Waits while *word == expected, until the CLOCK_MONOTONIC time
 * `until_ns` (UINT64_MAX: for ever). Spurious returns are possible. */
void csys_futex_wait(const void *word, uint32_t expected, uint64_t until_ns);
void csys_futex_wake(const void *word, int32_t count);

/* The processor's hint for a spinning loop; sched_yield(2). */
void csys_pause(void);
void csys_yield(void);

/* Asks for the cache line at `address`, to be written soon. Any address will do. */
static inline void csys_prefetch(const void *address) {
#if defined(__x86_64__) || defined(__i386__)
    /* By name: the compiler knows of the instruction only where all processors have it, and on those
     * that do not it does nothing. */
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
    __builtin_prefetch(address, 1);
#endif
}

/* eventfd(2), non-blocking and close-on-exec; -1 with errno. */
int32_t csys_eventfd(void);
void csys_eventfd_signal(int32_t fd);
/* Returns whether it was signalled. */
bool csys_eventfd_drain(int32_t fd);

void csys_close(int32_t fd);

/* Waits until fd is readable, at most until `until_ns` (UINT64_MAX: for ever). */
void csys_wait_readable(int32_t fd, uint64_t until_ns);
/* Returns whether fd is readable, or broken, now. */
bool csys_is_readable(int32_t fd);
/* Waits for any of at most eight descriptors; negative ones are ignored. */
void csys_wait_any_readable(const int32_t *fds, int32_t count, uint64_t until_ns);

/* A descriptor that is readable once the file was written to or touched; -1 where there is none.
 * Draining makes it wait for the next time, and tells whether there was one. */
int32_t csys_file_watch(const char *path);
bool csys_file_watch_drain(int32_t fd);

/* A descriptor that is readable once something happened to one of the watched places; -1 with errno. */
int32_t csys_watcher(void);
/* Watches a file that is written to, touched, or closed by one that could write; or a
 * directory whose entries come, change and go, or which goes itself. Returns the number of the watch, or a negative errno. */
int32_t csys_watcher_add(int32_t watcher, const char *path, bool is_directory);
void csys_watcher_remove(int32_t watcher, int32_t number);
/* Takes what has happened: the numbers of watches, at most `capacity` of them; -1 among them where some
 * were lost. Returns how many; 0 for none. */
int32_t csys_watcher_take(int32_t watcher, int32_t *numbers, int32_t capacity);

/* Nanoseconds since 1970 in UTC, and since the machine was started, its sleep included. */
int64_t csys_realtime_ns(void);
/* Microseconds by which that may be wrong, as the kernel was told; -1 if nothing sets the clock: adjtimex(2). */
int64_t csys_clock_error_us(void);
uint64_t csys_boottime_ns(void);
/* Nanoseconds of processor time that this thread has used. */
uint64_t csys_thread_cpu_ns(void);

/* Returns a descriptor that becomes readable once the machine's clock was set, or the machine has
 * slept; -1 if there is none. Rearming makes it wait for the next time. */
int32_t csys_clock_watch(void);
void csys_clock_watch_rearm(int32_t fd);

/* Starts a thread with all signals blocked, so that a host's threads never take a signal meant for
 * the embedder. With `out_thread` NULL the thread is detached; otherwise pass it to one of the two
 * functions below. Returns 0 or an errno. */
int32_t csys_thread_start(void (*body)(void *), void *argument, uint64_t stack_bytes,
                          uint64_t *out_thread);
/* Gives the calling thread, and every thread that csys_thread_start starts from now on, a stack for
 * handlers of signals, so that they run where the thread's own stack has overflowed. It is never
 * freed. For a program, not for a library: sigaltstack(2). */
void csys_use_signal_stacks(void);
/* Whether SIGSEGV came of an access next to the stack pointer. Takes the arguments of its handler. */
bool csys_is_stack_overflow(const void *info, const void *context);
/* Joins a thread that has ended, the destructors of its thread-local data included. Returns false,
 * without waiting, while it runs. */
bool csys_thread_join_ended(uint64_t thread);
/* Joins a thread, waiting until a CLOCK_MONOTONIC time. Returns false when it has not ended by then. */
bool csys_thread_join_until(uint64_t thread, uint64_t deadline);
void csys_thread_detach(uint64_t thread);
void csys_thread_name(const char *name);       /* cut to 15 bytes */
void csys_thread_nice(int32_t increment);      /* this thread's; errors are ignored */
void csys_thread_io_priority(int32_t level);   /* 1…8 best effort, 9 idle; errors are ignored */
void csys_thread_no_timer_slack(void);

/* A number that only the calling thread has. */
uint64_t csys_thread_number(void);

/* The owners that the calling thread works for, innermost first, with its role there, or 0. A thread
 * of one host can be inside another one's loop. */
typedef struct csys_thread_frame {
    const void *owner;
    uint64_t role;
    struct csys_thread_frame *outer;
} csys_thread_frame;
uint64_t csys_thread_role(const void *owner);
csys_thread_frame *csys_thread_frames(void);
void csys_set_thread_frames(csys_thread_frame *frame);
void csys_set_thread_owner(const void *owner, uint64_t role);

/* The free list that the calling thread keeps for `owner`; NULL where it keeps none for that one. */
void *csys_thread_free_list(const void *owner);
void csys_set_thread_free_list(const void *owner, void *list);

/* Returns an anonymous, zeroed, lazily filled mapping, or NULL. */
void *csys_map(uint64_t bytes);
/* Returns such a mapping for sparse use: touching a page costs that page only, even if the kernel
 * prefers huge pages. */
void *csys_map_sparse(uint64_t bytes);
void csys_unmap(void *address, uint64_t bytes);
/* Releases whole pages of a mapping: they then read as zero, or, if the system keeps them, as before. */
void csys_forget(void *address, uint64_t bytes);

/* getopt_long(3) with a table of `count` options; has_argument 0 or 1. `index` and the others are
 * getopt's own variables. A leading '+' stops at the first operand. */
typedef struct csys_option {
    const char *name;
    int32_t has_argument;
    int32_t value;
} csys_option;
int32_t csys_getopt_long(int32_t argc, char *const *argv, const char *short_options,
                         const csys_option *options, int32_t count);
const char *csys_optarg(void);
int32_t csys_optind(void);
int32_t csys_optopt(void);
void csys_getopt_reset(void);

/* dladdr(3): the file of the object that defines `symbol`, or NULL. */
const char *csys_symbol_file(const void *symbol);

/* Returns whether the process has more rights than its caller: AT_SECURE of getauxval(3). */
bool csys_has_more_rights(void);

/* prctl(2): orphans among this process' descendants become its children; the calling process is
 * killed when the thread that started it ends. */
void csys_adopt_orphans(void);
void csys_die_with_parent(void);

/* pipe2(2), close-on-exec; false with errno. */
bool csys_pipe(int32_t ends[2]);

/* pause(2), for ever; _exit(2). */
void csys_wait_for_ever(void) __attribute__((noreturn));
void csys_exit_at_once(int32_t status) __attribute__((noreturn));

/* Columns of the terminal behind fd, or 0. */
int32_t csys_terminal_columns(int32_t fd);

/* --- Children of fork(2) ------------------------------------------------------------------------ */

/* A child of fork(2) has one thread, the one that called it, and a copy of everything else. If that
 * thread returned into the host, the child would continue as a second worker. */

/* The note that a child leaves for its parent. */
typedef struct csys_child_note {
    uint64_t owner;
    uint64_t task;
    int64_t plugin;
} csys_child_note;

enum { csys_child_notes = 64 };

/* The notes, in memory that a process shares with its children. It is untrusted: children may write
 * anything. */
typedef struct csys_child_board {
    uint32_t claimed;
    uint32_t count;
    csys_child_note notes[csys_child_notes];
} csys_child_board;

extern const uint64_t *csys_process_word;
extern csys_child_board *csys_children;

/* Returns a number that differs for this process and its children; never 0. */
uint64_t csys_process_mark(void);
/* False in a child of the process that `mark` is of. */
static inline bool csys_is_process(uint64_t mark) { return *csys_process_word == mark; }

/* In a child: leaves a note, wakes the parent by its eventfd, and ends without exit handlers. */
__attribute__((noreturn)) void csys_child_end(csys_child_note note, int32_t descriptor,
                                              int32_t status);
/* Returns how many notes were left by children of this process. */
static inline uint32_t csys_child_note_count(void) {
    return csys_children == 0 ? 0 : __atomic_load_n(&csys_children->count, __ATOMIC_ACQUIRE);
}
/* The last 64 notes are kept; a place beyond the count has anything. Only after a count above 0. */
csys_child_note csys_child_note_at(uint32_t place);

/*
 * The first function blocks SIGXFSZ for the calling thread, so that a write(2) beyond RLIMIT_FSIZE
 * (setrlimit(2)) fails with EFBIG and does not end the process. The second function takes its result,
 * drops the signal if it was raised, and preserves errno. In between, the third function returns
 * whether the signal was raised.
 */
uint32_t csys_hold_file_size_signal(void);
void csys_release_file_size_signal(uint32_t held);
bool csys_is_file_size_signal_raised(void);

#endif /* CSYSTEM_H */
