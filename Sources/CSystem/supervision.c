/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_supervision.h"

#include "csystem.h"
#include "csystem_containment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Nanoseconds in which a process that was killed has ended, and all of them have. */
#define REAPING UINT64_C(2000000000)
#define KILLING UINT64_C(10000000000)

/* --- Processes below this one ------------------------------------------------------------------- */

typedef struct {
    pid_t process, parent;
} relation;

/* Which process is whose child, in the order of their numbers. Processes below those of `except` are not taken for
 * processes below this one. */
typedef struct {
    relation *all;
    size_t count, room;
    const int32_t *except;
    size_t except_count;
} family;

/* "pid (name) state parent …", where the name may have anything in it. */
static pid_t parent_of(const char *number) {
    char path[64], text[512];
    if (snprintf(path, sizeof path, "/proc/%s/stat", number) >= (int)sizeof path) return 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 0;
    text[count] = 0;
    const char *rest = strrchr(text, ')');
    return rest == NULL || strlen(rest) < 5 ? 0 : (pid_t)atoi(rest + 4);
}

static int compare(const void *left, const void *right) {
    return ((const relation *)left)->process - ((const relation *)right)->process;
}

static void look(family *now) {
    now->count = 0;
    DIR *directory = opendir("/proc");
    if (directory == NULL) return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
        pid_t parent = parent_of(entry->d_name);
        if (parent <= 0) continue;
        if (now->count == now->room) {
            size_t room = now->room == 0 ? 1024 : 2 * now->room;
            relation *larger = realloc(now->all, room * sizeof *larger);
            if (larger == NULL) break;
            now->all = larger;
            now->room = room;
        }
        now->all[now->count++] = (relation){atoi(entry->d_name), parent};
    }
    closedir(directory);
    qsort(now->all, now->count, sizeof *now->all, compare);
}

static bool is_below(const family *now, const relation *one) {
    const pid_t own = getpid();
    for (int steps = 0; one != NULL && steps < 4096; steps++) {
        for (size_t i = 0; i < now->except_count; i++)
            if (now->except[i] == one->process) return false;
        if (one->parent == own) return true;
        relation above = {one->parent, 0};
        one = bsearch(&above, now->all, now->count, sizeof above, compare);
    }
    return false;
}

/* Kills what is below this process. Returns whether there was anything, dead or alive. */
static bool kill_all(const family *now) {
    bool is_any = false;
    for (size_t i = 0; i < now->count; i++)
        if (is_below(now, &now->all[i])) {
            kill(now->all[i].process, SIGKILL);
            is_any = true;
        }
    return is_any;
}

/* A thread that has made this process its tracer ends for it alone, and its process with it. */
static void release_traced_threads(pid_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *directory = opendir(path);
    if (directory == NULL) return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        pid_t thread = atoi(entry->d_name);
        int ignored;
        if (thread > 0 && thread != process) waitpid(thread, &ignored, __WALL | WNOHANG);
    }
    closedir(directory);
}

/* Takes the status of a process that was killed. One that another process holds on to, as a tracer does, is
 * not waited for for ever. */
static bool reap(family *now, pid_t process, int *status) {
    const uint64_t until = csys_monotonic_ns() + REAPING;
    for (;;) {
        pid_t waited = waitpid(process, status, WNOHANG);
        if (waited == process) return true;
        if ((waited < 0 && errno != EINTR) || csys_monotonic_ns() >= until) return false;
        release_traced_threads(process);
        look(now);
        kill_all(now);
        poll(NULL, 0, 1);
    }
}

/* Kills and reaps, round by round: who is killed may have children as well. */
static void end_all(family *now) {
    const uint64_t until = csys_monotonic_ns() + KILLING;
    while (look(now), kill_all(now) && csys_monotonic_ns() < until) {
        for (size_t i = 0; i < now->count; i++) {
            /* The list changes where one of them does not end at once. */
            relation one = now->all[i];
            int ignored;
            if (one.parent == getpid() && is_below(now, &one)) reap(now, one.process, &ignored);
        }
    }
}

/* --- The supervisor --------------------------------------------------------------------------- */

static void block(sigset_t *signals) {
    sigemptyset(signals);
    sigaddset(signals, SIGCHLD);
    sigaddset(signals, SIGTERM);
    sigprocmask(SIG_SETMASK, signals, NULL);
}

/* Returns whether the child has ended, and not the order has come. */
static bool wait_for_end(pid_t child, const sigset_t *signals) {
    for (;;) {
        siginfo_t information = {0};
        if (waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT | WNOHANG) != 0) return true;
        if (information.si_pid == child) return true;
        if (sigwaitinfo(signals, NULL) == SIGTERM) return false;
    }
}

static void tell(int report, csys_supervised_end end) {
    ssize_t written;
    do written = write(report, &end, sizeof end);
    while (written < 0 && errno == EINTR);
}

typedef struct {
    const char *program;
    char *const *arguments, *const *environment;
    csys_streams streams;
} execution;

static pid_t start(const execution *given, int *error) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *error = errno;
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        setsid();
        const csys_streams *streams = &given->streams;
        bool is_done = dup2(streams->input, 0) == 0 && dup2(streams->output, 1) == 1 &&
                       dup2(streams->errors, 2) == 2 &&
                       dup2(streams->report, streams->report_number) == streams->report_number;
        struct sigaction usual = {.sa_handler = SIG_DFL};
        for (int number = 1; number < NSIG; number++) sigaction(number, &usual, NULL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (is_done) execve(given->program, given->arguments, given->environment);
        int failure = errno;
        ssize_t ignored = write(ends[1], &failure, sizeof failure);
        (void)ignored;
        _exit(127);
    }
    *error = child < 0 ? errno : 0;
    close(ends[1]);
    int failure;
    if (child > 0 && read(ends[0], &failure, sizeof failure) == sizeof failure) {
        *error = failure;
        waitpid(child, NULL, 0);
        child = -1;
    }
    close(ends[0]);
    return child;
}

static void supervise(const execution *given, const char *directory, int report, pid_t parent) {
    /* A group of its own, which no key of the terminal reaches. In the session of its parent: when that ends, the
     * system continues what is stopped in such a group, with SIGHUP (setpgid(2)). */
    setpgid(0, 0);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    sigset_t signals;
    block(&signals);
    if (getppid() != parent) _exit(1);
    csys_supervised_end end = {0};
    pid_t child = start(given, &end.error);
    if (child < 0) {
        tell(report, end);
        _exit(0);
    }
    /* The copy has all descriptors of its parent, among them the pipes of another child. */
    close_range(3, (unsigned)report - 1, 0);
    close_range((unsigned)report + 1, UINT_MAX, 0);
    bool has_ended = wait_for_end(child, &signals);
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    family below = {0};
    bool is_reaped = reap(&below, child, &end.status);
    end_all(&below);
    if (has_ended && is_reaped) tell(report, end);
    /* The parent would remove it, but has ended. */
    if (directory != NULL && getppid() != parent) csys_remove_tree(directory);
    _exit(0);
}

/* --- The process that wants the child --------------------------------------------------------- */

int32_t csys_supervise(const char *program, char *const *arguments, char *const *environment,
                       const char *directory, csys_streams streams, csys_supervisor *supervisor) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    execution given = {program, arguments, environment, streams};
    pid_t parent = getpid();
    /* Until it has its own, it must not take the signals of this process. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        supervise(&given, directory, ends[1], parent);
    }
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return error;
    }
    *supervisor = (csys_supervisor){process, csys_process_descriptor(process), ends[0]};
    return 0;
}

void csys_supervisor_stop(int32_t process) {
    kill(process, SIGTERM);
    /* The child may have stopped it. */
    kill(process, SIGCONT);
}

bool csys_supervisor_has_ended(const csys_supervisor *supervisor) {
    siginfo_t information = {0};
    return waitid(P_PID, (id_t)supervisor->process, &information, WEXITED | WNOWAIT | WNOHANG) != 0 ||
           information.si_pid != 0;
}

void csys_supervisor_await(int32_t process, uint64_t until_ns) {
    const csys_supervisor supervisor = {process, csys_process_descriptor(process), -1};
    while (!csys_supervisor_has_ended(&supervisor)) {
        if (csys_monotonic_ns() >= until_ns) {
            kill(process, SIGKILL);
            break;
        }
        struct pollfd ended = {.fd = supervisor.descriptor, .events = POLLIN};
        poll(&ended, 1, supervisor.descriptor >= 0 ? 50 : 5);
    }
    if (supervisor.descriptor >= 0) close(supervisor.descriptor);
}

bool csys_supervisor_end(csys_supervisor *supervisor, uint64_t until_ns, csys_supervised_end *end) {
    csys_supervisor_await(supervisor->process, until_ns);
    bool has_told = read(supervisor->report, end, sizeof *end) == sizeof *end;
    int ignored;
    /* One that a child of its own has stopped as its tracer is that one's to reap; it is an orphan then. */
    if (has_told)
        while (waitpid(supervisor->process, &ignored, 0) < 0 && errno == EINTR) {}
    if (supervisor->descriptor >= 0) close(supervisor->descriptor);
    close(supervisor->report);
    return has_told;
}

void csys_kill_orphans(const int32_t *except, size_t count) {
    family below = {.except = except, .except_count = count};
    end_all(&below);
    free(below.all);
}
