/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { most_supervisors = 4096 };

static struct {
    pid_t supervisors[most_supervisors]; /* with the spare */
    int number;
    int self; /* a pidfd */
    int landlock;
    int user_namespace_error; /* of a supervisor that could not map its user */
} spawner;

/* A supervisor and a child that were forked ahead of their order: what takes longest is done when that
 * comes. */
static struct {
    pid_t process; /* 0: there is none */
    int own, of_child; /* sockets to the two */
    bool is_ready;
    unsigned filters; /* a bit for each one that it has inherited */
    csys_features features;
} spare;

/* The spawner waits this long after an order, so that making a spare does not slow the start down. */
enum { spare_delay_ms = 5 };

static void become_spawner(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "curfew-spawner", 0, 0, 0);
    /* The host may ignore SIGCHLD, or not want it for stopped children; the spawner needs both. No
     * process that it forks changes an action before it runs foreign code. */
    reset_signals();
    /* The orphans of a supervisor that was killed come here. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    fcntl(spawner_socket, F_SETFD, FD_CLOEXEC);
    fcntl(spawner_host, F_SETFD, FD_CLOEXEC);
    syscall(SYS_close_range, spawner_host + 1, ~0U, 0);
    int null = open("/dev/null", O_RDWR);
    for (int standard = 0; standard < 3; standard++)
        if (null >= 0 && null != standard) dup2(null, standard);
    if (null > 2) close(null);
    spawner.self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    spawner.landlock = landlock_version();
    csys_greeting greeting = {CSYS_SPAWNER_MAGIC, csys_layout_number(), 0};
    send(spawner_socket, &greeting, sizeof greeting, MSG_NOSIGNAL);
}

/* --- Supervisors ---------------------------------------------------------------------------------- */

/* Moves this process into a control group. Returns an errno. */
static int enter_group(int cgroup) {
    int file = openat(cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    int error = write(file, "0", 1) == 1 ? 0 : errno;
    close(file);
    return error;
}

/* Forks, with namespaces and into a control group; in the fork 0, and what kept it out of the group. */
static pid_t fork_into(uint64_t namespaces, int cgroup, int *group_error) {
    *group_error = 0;
    struct clone_args arguments = {.flags = namespaces, .exit_signal = SIGCHLD};
    if (cgroup >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)cgroup;
    }
    long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    /* The seccomp filters of containers and of systemd refuse clone3, whose arguments they cannot read.
     * They can read those of clone(2), and may permit namespaces there. That call knows no control group:
     * the fork enters it before it starts any other process. */
    if (child < 0 && errno == ENOSYS) {
        child = syscall(SYS_clone, namespaces | SIGCHLD, 0, 0, 0, 0);
        if (child == 0 && cgroup >= 0) *group_error = enter_group(cgroup);
    }
    return (pid_t)child;
}

/* Namespaces that are refused are left out: first none is, then those that are refused most often. */
static const uint64_t namespace_trials[] = {
    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC,
    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS,
    CLONE_NEWUSER | CLONE_NEWPID,
    CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC,
    CLONE_NEWPID | CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    0,
};
enum { trial_count = sizeof namespace_trials / sizeof *namespace_trials };

static pid_t start_supervisor(const order *given, surroundings *around) {
    static const struct {
        uint64_t flag;
        enum csys_feature feature;
    } namespaces[] = {{CLONE_NEWUSER, csys_feature_user_namespace},
                      {CLONE_NEWPID, csys_feature_process_namespace},
                      {CLONE_NEWNS, csys_feature_mount_namespace},
                      {CLONE_NEWIPC, csys_feature_ipc_namespace}};
    enum { namespace_count = sizeof namespaces / sizeof *namespaces };
    bool is_plugin = given->request.kind == csys_request_child;
    int errors[namespace_count] = {0};
    uint64_t allowed = 0;
    for (int index = 0; index < namespace_count && is_plugin; index++) {
        if (is_masked(given, namespaces[index].feature)) errors[index] = ECANCELED;
        if (index == 0 && errors[index] == 0) errors[index] = spawner.user_namespace_error;
        if (errors[index] == 0) allowed |= namespaces[index].flag;
    }
    int cgroup = given->places[csys_place_cgroup];
    int cgroup_error = is_masked(given, csys_feature_control_group) ? ECANCELED : 0;
    uint64_t last = ~(uint64_t)0;
    for (int trial = 0; trial < trial_count; trial++) {
        uint64_t flags = namespace_trials[trial] & allowed;
        if (flags == last || (!is_plugin && flags != 0)) continue;
        last = flags;
        memset(&around->features, 0, sizeof around->features);
        for (int index = 0; index < namespace_count && is_plugin; index++)
            note_feature(&around->features, namespaces[index].feature,
                         flags & namespaces[index].flag ? 0 : errors[index]);
        if (cgroup >= 0) note_feature(&around->features, csys_feature_control_group, cgroup_error);
        choose_filter(given, around);
        int group_error = 0;
        pid_t child = fork_into(flags, cgroup_error == 0 ? cgroup : -1, &group_error);
        if (group_error != 0) note_feature(&around->features, csys_feature_control_group, group_error);
        if (child < 0 && cgroup >= 0 && cgroup_error == 0 && errno != EAGAIN && errno != ENOMEM) {
            /* The control group may be what is refused. */
            int error = errno;
            note_feature(&around->features, csys_feature_control_group, error);
            child = fork_into(flags, -1, &group_error);
            if (child >= 0) return child;
        }
        if (child >= 0 || flags == 0) return child;
        for (int index = 0; index < namespace_count; index++)
            if (flags & namespaces[index].flag && errors[index] == 0) errors[index] = errno;
    }
    return -1;
}

static void close_spare_sockets(void) {
    close(spare.own);
    close(spare.of_child);
}

static surroundings surroundings_of_all(void) {
    return (surroundings){.host = spawner_host, .spawner = spawner.self, .user = geteuid(),
                          .group = getegid()};
}

static void start(const order *given, int watch) {
    surroundings around = surroundings_of_all();
    pid_t child = -1;
    errno = EAGAIN;
    if (spawner.number < most_supervisors) child = start_supervisor(given, &around);
    if (child == 0) {
        close(spawner_socket);
        close(watch);
        if (spare.process != 0) close_spare_sockets();
        supervise(given, &around);
    }
    if (child < 0) report_failure(given->control, csys_failure_fork, errno);
    else spawner.supervisors[spawner.number++] = child;
}

/* --- The spare ------------------------------------------------------------------------------------ */

static void forget_spare(void) {
    spare.process = 0;
    close_spare_sockets();
}

/* Whether an order can do with the namespaces and the control group that a spare is made with. */
static bool suits_spare(const order *given) {
    return given->request.kind == csys_request_child && given->request.masked == 0 &&
           given->places[csys_place_cgroup] < 0;
}

static void make_spare(int watch) {
    int own[2], of_child[2];
    if (spawner.number == most_supervisors ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, own) != 0)
        return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, of_child) != 0) {
        close(own[0]);
        close(own[1]);
        return;
    }
    order expected = {.request = {.kind = csys_request_child}, .control = -1, .text = -1};
    memset(expected.places, -1, sizeof expected.places);
    memset(expected.rules, -1, sizeof expected.rules);
    surroundings around = surroundings_of_all();
    pid_t child = start_supervisor(&expected, &around);
    if (child == 0) {
        close(spawner_socket);
        close(watch);
        close(own[0]);
        close(of_child[0]);
        supervise_next(&expected, &around, own[1], of_child[1]);
    }
    close(own[1]);
    close(of_child[1]);
    spare.own = own[0];
    spare.of_child = of_child[0];
    if (child < 0) {
        close_spare_sockets();
        return;
    }
    spawner.supervisors[spawner.number++] = child;
    spare.process = child;
    spare.is_ready = false;
    spare.filters = filters_tried();
    spare.features = around.features;
}

/* Gives an order to the spare, if there is one that is ready for it. */
static bool start_with_spare(order *given) {
    if (spare.process == 0 || !suits_spare(given)) return false;
    if (!(spare.filters & 1U << filter_for(given, &spare.features))) {
        /* It would have to make the filter, which takes longer than a fork; the next one inherits it. */
        kill(spare.process, SIGKILL);
        forget_spare();
        return false;
    }
    char byte;
    if (!spare.is_ready) spare.is_ready = recv(spare.of_child, &byte, 1, MSG_DONTWAIT) == 1;
    if (!spare.is_ready) return false;
    /* Its supervisor needs the control socket alone, and nothing waits for that. */
    order brief = *given;
    brief.request.places = 0;
    brief.request.rule_count = 0;
    memset(brief.places, -1, sizeof brief.places);
    bool has_order = send_order(spare.of_child, given);
    /* Should that fail, it was killed, and its child and the order with it. */
    if (has_order) send_order(spare.own, &brief);
    forget_spare();
    return has_order;
}

/* Waits for supervisors that have ended, continues stopped ones, and kills what killed ones left. */
static void look_after_supervisors(void) {
    siginfo_t info;
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG) != 0 || info.si_pid == 0) break;
        if (info.si_code == CLD_STOPPED) {
            /* A supervisor that its child has stopped could not kill that. */
            kill(info.si_pid, SIGCONT);
            continue;
        }
        for (int index = 0; index < spawner.number; index++) {
            if (spawner.supervisors[index] != info.si_pid) continue;
            spawner.supervisors[index--] = spawner.supervisors[--spawner.number];
            if (spare.process == info.si_pid) forget_spare();
            if (info.si_code == CLD_EXITED && info.si_status == supervisor_without_user)
                spawner.user_namespace_error = EPERM;
        }
    }
    int denied;
    kill_children(spawner.supervisors, spawner.number, &denied);
}

void spawner_run(void) {
    become_spawner();
    int watch = children_watch();
    bool is_open = true, wants_spare = false, is_prepared = false;
    while (is_open) {
        struct pollfd waits[3] = {
            {watch, POLLIN, 0}, {spawner_socket, POLLIN, 0}, {spawner_host, POLLIN, 0}};
        int ready = poll(waits, 3, wants_spare ? spare_delay_ms : -1);
        if (ready < 0) continue;
        if (ready == 0) {
            if (!is_prepared) curfew_child_prepare();
            is_prepared = true;
            make_spare(watch);
            wants_spare = false;
        }
        if (waits[0].revents != 0) {
            drain_watch(watch);
            look_after_supervisors();
        }
        if (waits[2].revents != 0) break;
        if (waits[1].revents == 0) continue;
        order given;
        int received = receive_order(spawner_socket, &given);
        if (received == received_end) is_open = false;
        if (received != received_order) continue;
        if (!start_with_spare(&given)) start(&given, watch);
        close(given.control);
        close_contents(&given);
        if (suits_spare(&given) && given.request.is_alone == 0) wants_spare = spare.process == 0;
    }
    /* A killed supervisor may have left processes. Their children become children of this one. */
    kill_everything();
    _exit(0);
}
