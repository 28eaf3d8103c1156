/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <curfew/types.h>

#define NS_PER_S 1000000000u

const char *csys_status_text(int32_t status) {
    switch (status) {
#define TEXT_CASE(name, value, text) \
    case value:                      \
        return text;
        CURFEW_STATUS_MAP(TEXT_CASE)
#undef TEXT_CASE
    }
    return NULL;
}

const char *csys_status_name(int32_t status) {
    switch (status) {
#define NAME_CASE(name, value, text) \
    case value:                      \
        return #name;
        CURFEW_STATUS_MAP(NAME_CASE)
#undef NAME_CASE
    }
    return NULL;
}

static struct timespec timespec_of(uint64_t ns) {
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

uint64_t csys_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void csys_futex_wait(const void *word, uint32_t expected, uint64_t until_ns) {
    /* FUTEX_WAIT_BITSET takes an absolute time, so an early return cannot lengthen the wait. */
    struct timespec until = timespec_of(until_ns);
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
            until_ns == UINT64_MAX ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

void csys_futex_wake(const void *word, int32_t count) {
    syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL, 0);
}

void csys_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void csys_yield(void) { sched_yield(); }

int32_t csys_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void csys_eventfd_signal(int32_t fd) {
    /* Also called in signal handlers, which have to leave errno as it was. */
    int before = errno;
    uint64_t one = 1;
    ssize_t written;
    do {
        written = write(fd, &one, sizeof one);
    } while (written < 0 && errno == EINTR);
    errno = before;
}

bool csys_eventfd_drain(int32_t fd) {
    uint64_t count;
    ssize_t got;
    do {
        got = read(fd, &count, sizeof count);
    } while (got < 0 && errno == EINTR);
    return got == sizeof count;
}

void csys_close(int32_t fd) { close(fd); }

void csys_wait_readable(int32_t fd, uint64_t until_ns) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    if (until_ns == UINT64_MAX) {
        ppoll(&poll_fd, 1, NULL, NULL);
        return;
    }
    uint64_t now = csys_monotonic_ns();
    struct timespec left = timespec_of(until_ns > now ? until_ns - now : 0);
    ppoll(&poll_fd, 1, &left, NULL);
}

void csys_wait_any_readable(const int32_t *fds, int32_t count, uint64_t until_ns) {
    struct pollfd all[8];
    nfds_t used = 0;
    for (int32_t i = 0; i < count && used < 8; i++)
        all[used++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    if (until_ns == UINT64_MAX) {
        ppoll(all, used, NULL, NULL);
        return;
    }
    uint64_t now = csys_monotonic_ns();
    struct timespec left = timespec_of(until_ns > now ? until_ns - now : 0);
    ppoll(all, used, &left, NULL);
}

bool csys_is_readable(int32_t fd) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

int32_t csys_file_watch(const char *path) {
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0 && inotify_add_watch(fd, path, IN_ATTRIB | IN_MODIFY) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

bool csys_file_watch_drain(int32_t fd) {
    char events[4096];
    bool any = false;
    while (fd >= 0 && read(fd, events, sizeof events) > 0) any = true;
    return any;
}

int32_t csys_watcher(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int32_t csys_watcher_add(int32_t watcher, const char *path, bool is_directory) {
    uint32_t what = is_directory
                        ? IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                              IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
                        : IN_ATTRIB | IN_MODIFY | IN_CLOSE_WRITE;
    int number = inotify_add_watch(watcher, path, what);
    return number < 0 ? -errno : number;
}

void csys_watcher_remove(int32_t watcher, int32_t number) { inotify_rm_watch(watcher, number); }

int32_t csys_watcher_take(int32_t watcher, int32_t *numbers, int32_t capacity) {
    _Alignas(struct inotify_event) char bytes[4096];
    int32_t count = 0;
    /* Each event has 16 bytes or more. */
    while (capacity - count >= (int32_t)(sizeof bytes / sizeof(struct inotify_event))) {
        ssize_t got = read(watcher, bytes, sizeof bytes);
        if (got <= 0) break;
        for (char *next = bytes; next < bytes + got;) {
            const struct inotify_event *event = (const struct inotify_event *)next;
            numbers[count++] = event->mask & IN_Q_OVERFLOW ? -1 : event->wd;
            next += sizeof *event + event->len;
        }
    }
    return count;
}

static uint64_t nanoseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int64_t csys_realtime_ns(void) { return (int64_t)nanoseconds_of(CLOCK_REALTIME); }

int64_t csys_clock_error_us(void) {
    struct timex state = {.modes = 0};
    if (adjtimex(&state) < 0 || (state.status & STA_UNSYNC) != 0) return -1;
    return state.maxerror;
}

uint64_t csys_boottime_ns(void) { return nanoseconds_of(CLOCK_BOOTTIME); }

uint64_t csys_thread_cpu_ns(void) { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }

static void arm_clock_watch(int fd) {
    struct itimerspec never = {.it_value = {.tv_sec = (time_t)1 << 33}};
    timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

int32_t csys_clock_watch(void) {
    int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd >= 0) arm_clock_watch(fd);
    return fd;
}

void csys_clock_watch_rearm(int32_t fd) {
    uint64_t expirations;
    /* It never expires; reading takes away that it was cancelled. */
    if (fd < 0 || (read(fd, &expirations, sizeof expirations) < 0 && errno == EAGAIN)) return;
    arm_clock_watch(fd);
}

struct start {
    void (*body)(void *);
    void *argument;
};

static bool uses_signal_stacks;

static void take_signal_stack(void) {
    /* Above MINSIGSTKSZ on every processor. Only what a handler touches becomes memory. */
    enum { bytes = 65536 };
    const stack_t stack = {.ss_sp = csys_map(bytes), .ss_size = bytes};
    if (stack.ss_sp != NULL) sigaltstack(&stack, NULL);
}

void csys_use_signal_stacks(void) {
    uses_signal_stacks = true;
    take_signal_stack();
}

bool csys_is_stack_overflow(const void *info, const void *context) {
    const ucontext_t *machine = context;
#if defined(__x86_64__)
    const uintptr_t top = (uintptr_t)machine->uc_mcontext.gregs[REG_RSP];
#else
    const uintptr_t top = (uintptr_t)machine->uc_mcontext.sp;
#endif
    /* A call writes just below the pointer, and a large frame is often written from its low end. */
    return (uintptr_t)((const siginfo_t *)info)->si_addr - (top - 65536) < 65536 + 4096;
}

static void *trampoline(void *raw) {
    struct start start = *(struct start *)raw;
    free(raw);
    if (uses_signal_stacks) take_signal_stack();
    start.body(start.argument);
    return NULL;
}

int32_t csys_thread_start(void (*body)(void *), void *argument, uint64_t stack_bytes,
                          uint64_t *out_thread) {
    struct start *start = malloc(sizeof *start);
    if (start == NULL) return ENOMEM;
    *start = (struct start){body, argument};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (out_thread == NULL) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int result = 0;
    if (stack_bytes != 0) result = pthread_attr_setstacksize(&attributes, stack_bytes);
    sigset_t all, before;
    sigfillset(&all);
    /* A new thread inherits the mask. A fault of its own that is blocked kills the process without
     * calling the handler the embedder may have for it. */
    const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (result == 0) result = pthread_create(&thread, &attributes, trampoline, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (result != 0) free(start);
    else if (out_thread != NULL) *out_thread = (uint64_t)thread;
    return result;
}

bool csys_thread_join_ended(uint64_t thread) {
    return pthread_tryjoin_np((pthread_t)thread, NULL) == 0;
}

bool csys_thread_join_until(uint64_t thread, uint64_t deadline) {
    /* Not pthread_clockjoin_np(3), which ThreadSanitizer does not know. This one goes by a clock that
     * can be set, so it waits a second at most at a time. */
    while (true) {
        uint64_t now = csys_monotonic_ns();
        uint64_t left = deadline > now ? deadline - now : 0;
        if (left > NS_PER_S) left = NS_PER_S;
        const struct timespec until = timespec_of((uint64_t)csys_realtime_ns() + left);
        int result = pthread_timedjoin_np((pthread_t)thread, NULL, &until);
        if (result == 0) return true;
        if (result != ETIMEDOUT || csys_monotonic_ns() >= deadline) return false;
    }
}

void csys_thread_detach(uint64_t thread) { pthread_detach((pthread_t)thread); }

void csys_thread_name(const char *name) {
    char cut[16] = {0};
    strncpy(cut, name, sizeof cut - 1);
    pthread_setname_np(pthread_self(), cut);
}

void csys_thread_nice(int32_t increment) {
    /* On Linux a nice value belongs to a thread, and 0 means the calling one (sched(7)). */
    errno = 0;
    int current = getpriority(PRIO_PROCESS, 0);
    if (errno == 0) setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), current + increment);
}

void csys_thread_io_priority(int32_t level) {
    enum { who_process = 1, class_best_effort = 2, class_idle = 3, class_shift = 13 };
    int value = level >= 9 ? class_idle << class_shift
                           : (class_best_effort << class_shift) | (level - 1);
    syscall(SYS_ioprio_set, who_process, 0, value);
}

void csys_thread_no_timer_slack(void) { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

static _Thread_local char thread_mark;

/* The address of a thread's own variable; unlike gettid(2), no call. */
uint64_t csys_thread_number(void) { return (uint64_t)(uintptr_t)&thread_mark; }

static _Thread_local csys_thread_frame thread_base;
static _Thread_local csys_thread_frame *thread_frames;

uint64_t csys_thread_role(const void *owner) {
    for (const csys_thread_frame *frame = thread_frames; frame != NULL; frame = frame->outer)
        if (frame->owner == owner) return frame->role;
    return 0;
}
csys_thread_frame *csys_thread_frames(void) { return thread_frames; }
void csys_set_thread_frames(csys_thread_frame *frame) { thread_frames = frame; }
void csys_set_thread_owner(const void *owner, uint64_t role) {
    thread_base = (csys_thread_frame){owner, role, NULL};
    thread_frames = &thread_base;
}

static _Thread_local struct {
    const void *owner;
    void *list;
} thread_free_list;

void *csys_thread_free_list(const void *owner) {
    return thread_free_list.owner == owner ? thread_free_list.list : NULL;
}
void csys_set_thread_free_list(const void *owner, void *list) {
    thread_free_list.owner = owner;
    thread_free_list.list = list;
}

void *csys_map(uint64_t bytes) {
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? NULL : address;
}

void *csys_map_sparse(uint64_t bytes) {
    void *address = csys_map(bytes);
    if (address != NULL) madvise(address, bytes, MADV_NOHUGEPAGE);
    return address;
}

void csys_unmap(void *address, uint64_t bytes) { munmap(address, bytes); }

void csys_forget(void *address, uint64_t bytes) { madvise(address, bytes, MADV_DONTNEED); }

int32_t csys_getopt_long(int32_t argc, char *const *argv, const char *short_options,
                         const csys_option *options, int32_t count) {
    enum { most = 63 };
    struct option table[most + 1];
    memset(table, 0, sizeof table);
    for (int32_t i = 0; i < count && i < most; i++) {
        table[i].name = options[i].name;
        table[i].has_arg = options[i].has_argument;
        table[i].val = options[i].value;
    }
    opterr = 0;
    return getopt_long(argc, argv, short_options, table, NULL);
}
const char *csys_optarg(void) { return optarg; }
int32_t csys_optind(void) { return optind; }
int32_t csys_optopt(void) { return optopt; }
void csys_getopt_reset(void) { optind = 0; }

const char *csys_symbol_file(const void *symbol) {
    Dl_info info;
    return dladdr(symbol, &info) != 0 ? info.dli_fname : NULL;
}

bool csys_has_more_rights(void) { return getauxval(AT_SECURE) != 0; }

void csys_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

void csys_die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

bool csys_pipe(int32_t ends[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

void csys_wait_for_ever(void) {
    for (;;) pause();
}

void csys_exit_at_once(int32_t status) { _exit(status); }

int32_t csys_terminal_columns(int32_t fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static sigset_t file_size_signal(void) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    return one;
}

enum { HELD = 1, BLOCKED_HERE = 2 };

uint32_t csys_hold_file_size_signal(void) {
    const sigset_t one = file_size_signal();
    sigset_t before;
    if (pthread_sigmask(SIG_BLOCK, &one, &before) != 0) return 0;
    if (!sigismember(&before, SIGXFSZ)) return HELD | BLOCKED_HERE;
    /* One that was there already is not ours to drop. */
    return csys_is_file_size_signal_raised() ? 0 : HELD;
}

bool csys_is_file_size_signal_raised(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

void csys_release_file_size_signal(uint32_t held) {
    const sigset_t one = file_size_signal();
    const struct timespec now = {0};
    int before = errno;
    if (held & HELD)
        while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR) continue;
    if (held & BLOCKED_HERE) pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    errno = before;
}
