/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* --- Killing ------------------------------------------------------------------------------------ */

int children_watch(void) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    return signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
}

void drain_watch(int watch) {
    struct signalfd_siginfo info;
    while (read(watch, &info, sizeof info) > 0) {
    }
}

int kill_children(const pid_t *kept, int kept_count, int *denied) {
    *denied = 0;
    int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    int number = 0;
    pid_t process = 0;
    char text[4096];
    ssize_t length;
    while ((length = read(file, text, sizeof text)) > 0) {
        for (ssize_t index = 0; index < length; index++) {
            if (text[index] >= '0' && text[index] <= '9') {
                process = process * 10 + (text[index] - '0');
                continue;
            }
            bool is_kept = process == 0;
            for (int other = 0; other < kept_count && !is_kept; other++)
                is_kept = kept[other] == process;
            if (!is_kept) {
                number++;
                if (kill(process, SIGKILL) != 0 && errno == EPERM) (*denied)++;
            }
            process = 0;
        }
    }
    close(file);
    return number;
}

uint32_t kill_everything(void) {
    for (;;) {
        siginfo_t info;
        int waited;
        do {
            info.si_pid = 0;
            waited = waitid(P_ALL, 0, &info, WEXITED | WNOHANG);
        } while (waited == 0 && info.si_pid != 0);
        if (waited != 0) return 0; /* ECHILD */
        int denied = 0, number;
        if (getpid() == 1) {
            /* All of the namespace; /proc may be another one's. */
            number = kill(-1, SIGKILL) == 0 ? 1 : -1;
        } else {
            number = kill_children(NULL, 0, &denied);
        }
        if (number < 0) return 1;
        if (number > 0 && denied == number) return (uint32_t)denied;
        /* Their children come here when they end. */
        if (number > 0) waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
    }
}

/* --- Reports -------------------------------------------------------------------------------------- */

static void send_report(int control, const csys_child_report *report) {
    send(control, report, sizeof *report, MSG_NOSIGNAL);
}

static uint64_t nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_usec * 1000U;
}

static void report_ended(int control, const siginfo_t *info, uint32_t survivors) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    csys_child_report report = {
        .kind = csys_report_ended,
        .value = info->si_code == CLD_EXITED ? info->si_status : -info->si_status,
        .survivors = survivors,
        .has_core = info->si_code == CLD_DUMPED,
        .user_ns = nanoseconds(usage.ru_utime),
        .system_ns = nanoseconds(usage.ru_stime),
        .memory_bytes = (uint64_t)usage.ru_maxrss * 1024,
        .read_bytes = (uint64_t)usage.ru_inblock * 512,
        .written_bytes = (uint64_t)usage.ru_oublock * 512,
    };
    send_report(control, &report);
}

/* --- Namespaces ----------------------------------------------------------------------------------- */

static bool write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = (ssize_t)strlen(text);
    bool is_written = write(file, text, (size_t)length) == length;
    int error = errno;
    close(file);
    errno = error;
    return is_written;
}

/* user_namespaces(7): the user and the group as they are; who may not set groups may map its own. */
static bool map_user(uid_t user, gid_t group) {
    char users[32], groups[32];
    snprintf(users, sizeof users, "%u %u 1", user, user);
    snprintf(groups, sizeof groups, "%u %u 1", group, group);
    return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", users) &&
           write_file("/proc/self/gid_map", groups);
}

static void enter_namespaces(const order *given, surroundings *around) {
    csys_features *features = &around->features;
    if (features->in_force & 1U << csys_feature_user_namespace &&
        !map_user(around->user, around->group)) {
        report_failure(given->control, csys_failure_namespace, errno);
        _exit(supervisor_without_user);
    }
    if (given->request.kind != csys_request_child) return;
    uint32_t wanted = 1U << csys_feature_mount_namespace | 1U << csys_feature_process_namespace;
    int error = 0;
    if (is_masked(given, csys_feature_own_proc)) {
        error = ECANCELED;
    } else if ((features->in_force & wanted) != wanted) {
        error = EOPNOTSUPP;
    } else if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0 ||
               mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        error = errno;
    }
    note_feature(features, csys_feature_own_proc, error);
    /* Here, since it takes forty system calls, and the child inherits it. */
    note_feature(features, csys_feature_bounding_set, drop_bounding_set(given));
}

static bool has_ended(int process) {
    struct pollfd wait = {process, POLLIN, 0};
    return poll(&wait, 1, 0) != 0;
}

/* --- A child -------------------------------------------------------------------------------------- */

static bool read_text(int file, start_text *text) {
    struct stat status;
    if (fstat(file, &status) != 0) return false;
    char *base = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (base == MAP_FAILED) return false;
    csys_request_text *head = (csys_request_text *)(void *)base;
    uint64_t total = head->arguments + 1 + head->environment;
    for (uint64_t index = 0; index < total; index++)
        if (head->words[index] != 0) head->words[index] += (uint64_t)(uintptr_t)base;
    text->arguments = (char **)(void *)head->words;
    text->environment = text->arguments + head->arguments + 1;
    text->path = head->path == 0 ? NULL : base + head->path;
    text->directory = base + head->directory;
    return true;
}

/* A child, as its supervisor sees it. */
typedef struct {
    pid_t process;
    bool is_plugin;
    int notes;   /* a pipe; -1: it runs foreign code, or has failed */
    int control; /* -1: its order has not come */
    int next;    /* the socket for that; -1: it has come */
    csys_features features;
    child_note failure;
} supervised;

/* Reads notes. At the end of the pipe the child runs foreign code, or has failed. */
static void read_notes(supervised *child) {
    if (child->notes < 0) return;
    child_note note;
    ssize_t length;
    while ((length = read(child->notes, &note, sizeof note)) == (ssize_t)sizeof note) {
        if (note.failure == 0) child->features = note.features;
        else child->failure = note;
    }
    if (length < 0) return;
    close(child->notes);
    child->notes = -1;
    if (child->failure.failure != 0 || child->is_plugin) return;
    const csys_child_report report = {
        .kind = csys_report_started, .value = child->process, .features = child->features};
    send_report(child->control, &report);
}

/* Waits for orphans that have ended. The child itself is not reaped: until then nothing else has its
 * number, which is the group's. Returns whether it has ended. */
static bool reap_orphans(pid_t child, siginfo_t *info) {
    for (;;) {
        info->si_pid = 0;
        if (waitid(P_PID, (id_t)child, info, WEXITED | WNOHANG | WNOWAIT) != 0) _exit(1);
        if (info->si_pid == child) return true;
        info->si_pid = 0;
        if (waitid(P_ALL, 0, info, WEXITED | WNOHANG | WNOWAIT) != 0 || info->si_pid == 0) return false;
        if (info->si_pid == child) return true;
        waitid(P_PID, (id_t)info->si_pid, info, WEXITED | WNOHANG);
    }
}

/* Enters the namespaces, before the child is forked. */
static void separate(const order *given, surroundings *around) {
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    enter_namespaces(given, around);
    /* After the namespaces, since a change of credentials clears it. Where there is no namespace that
     * ends with this process, it has to live on and kill; then it only must not be stopped. */
    prctl(PR_SET_PDEATHSIG, getpid() == 1 ? SIGKILL : SIGCONT, 0, 0, 0);
    if (has_ended(around->spawner)) _exit(1);
}

/* Forks the child; in it 0. */
static pid_t fork_child(supervised *child, beginning *begun) {
    int notes[2];
    if (pipe2(notes, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    child->process = fork();
    if (child->process != 0) close(notes[1]);
    child->notes = notes[0];
    begun->told = notes[1];
    return child->process;
}

/* Receives what the supervisor needs of the order that its child has. Returns false at the end. */
static bool receive_control(supervised *child) {
    order given;
    int received = receive_order(child->next, &given);
    if (received == received_nothing) return true;
    if (received == received_order) {
        close_contents(&given);
        child->control = given.control;
        prctl(PR_SET_NAME, "curfew-plugin", 0, 0, 0);
    }
    close(child->next);
    child->next = -1;
    return received == received_order;
}

/* A plugin's process that is stopped takes no tasks, and what it was offered would wait for ever: it is continued
 * after a while, and killed if it is stopped again and again. A function that does not return is the host's to
 * end. What a debugger stops is not seen here. */
enum { stop_limit_ms = 1000, most_stops = 3 };

typedef struct {
    int count;
    uint64_t ends_at; /* CLOCK_MONOTONIC in milliseconds; 0: it is not stopped */
} stops;

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Returns for how many milliseconds to wait for anything else; -1: for ever. */
static int stop_rest(const stops *seen) {
    if (seen->ends_at == 0) return -1;
    uint64_t now = now_ms();
    return now < seen->ends_at ? (int)(seen->ends_at - now) : 0;
}

/* Returns false if it was stopped once too often. */
static bool go_on(stops *seen, pid_t child) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == child) {
        if (++seen->count > most_stops) return false;
        seen->ends_at = now_ms() + stop_limit_ms;
    }
    if (stop_rest(seen) == 0) {
        kill(child, SIGCONT);
        seen->ends_at = 0;
    }
    return true;
}

/* Sees to it that nothing of a child is left. */
static void __attribute__((noreturn)) watch_child(supervised *child, const surroundings *around) {
    int watch = children_watch();
    stops seen = {0, 0};
    bool kills = false;
    siginfo_t info;
    for (;;) {
        struct pollfd waits[6] = {{child->control, POLLIN, 0}, {around->host, POLLIN, 0},
                                  {around->spawner, POLLIN, 0}, {watch, POLLIN, 0},
                                  {child->notes, POLLIN, 0}, {child->next, POLLIN, 0}};
        if (poll(waits, 6, stop_rest(&seen)) < 0) continue;
        if (child->is_plugin && !go_on(&seen, child->process)) kills = true;
        if (waits[5].revents != 0 && !receive_control(child)) kills = true;
        if (waits[4].revents != 0) read_notes(child);
        if (waits[0].revents != 0) {
            char order = csys_order_kill;
            if (read(child->control, &order, 1) == 1 && order == csys_order_terminate) {
                /* Before it has set its session up there is no such group. */
                if (kill(-child->process, SIGTERM) != 0) kill(child->process, SIGTERM);
                kill(-child->process, SIGCONT); /* it may be stopped */
            } else {
                kills = true;
            }
        }
        if (waits[1].revents != 0 || waits[2].revents != 0) kills = true;
        if (waits[3].revents != 0) drain_watch(watch);
        if (kills) {
            kill(-child->process, SIGKILL);
            kill(child->process, SIGKILL);
            waitid(P_PID, (id_t)child->process, &info, WEXITED | WNOWAIT);
        }
        if (reap_orphans(child->process, &info)) break;
    }
    kill(-child->process, SIGKILL);
    /* All writers of the pipe end below. */
    siginfo_t end = info;
    uint32_t survivors = kill_everything();
    if (child->next >= 0) receive_control(child);
    read_notes(child);
    if (child->failure.failure != 0)
        report_failure(child->control, child->failure.failure, child->failure.error);
    else
        report_ended(child->control, &end, survivors);
    _exit(0);
}

void supervise(const order *given, surroundings *around) {
    bool is_plugin = given->request.kind == csys_request_child;
    prctl(PR_SET_NAME, is_plugin ? "curfew-plugin" : "curfew-command", 0, 0, 0);
    separate(given, around);
    supervised child = {.is_plugin = is_plugin, .control = given->control, .next = -1};
    beginning begun = {.given = given, .around = around, .supervisor = getpid(),
                       .features = around->features};
    if (!read_text(given->text, &begun.text) || fork_child(&child, &begun) < 0) {
        report_failure(given->control, csys_failure_fork, errno);
        _exit(1);
    }
    if (child.process == 0) {
        if (is_plugin) run_plugin(&begun);
        run_program(&begun);
    }
    close_contents(given);
    watch_child(&child, around);
}

/* In a child that was forked ahead of its order. */
static void __attribute__((noreturn)) wait_for_order(beginning *child, surroundings *around,
                                                     int socket) {
    die_with_supervisor(child);
    curfew_child_prepare();
    send(socket, "", 1, MSG_NOSIGNAL);
    order given;
    int received;
    while ((received = receive_order(socket, &given)) == received_nothing) {
    }
    if (received == received_end) _exit(0);
    close(socket);
    choose_filter(&given, around);
    child->given = &given;
    child->features = around->features;
    if (!read_text(given.text, &child->text)) fail(child, csys_failure_fork);
    run_plugin(child);
}

void supervise_next(const order *expected, surroundings *around, int own, int of_child) {
    prctl(PR_SET_NAME, "curfew-spare", 0, 0, 0);
    separate(expected, around);
    supervised child = {.is_plugin = true, .control = -1, .next = own};
    beginning begun = {.given = expected, .around = around, .supervisor = getpid()};
    if (fork_child(&child, &begun) < 0) _exit(1);
    if (child.process == 0) {
        close(own);
        wait_for_order(&begun, around, of_child);
    }
    close(of_child);
    watch_child(&child, around);
}
