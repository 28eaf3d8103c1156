/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_children.h"

#include "csystem.h"
#include "csystem_polling.h"
#include "csystem_spawner_protocol.h"
#include "writing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* --- The spawner ------------------------------------------------------------------------------ */

/* A process that shares memory with its suspended parent may not be instrumented. */
#if defined(__clang__)
#define SHARED __attribute__((no_sanitize("thread", "address"), noinline))
#else
#define SHARED
#endif

enum { spawner_socket = 3, spawner_host = 4, spawner_first_free = 16 };

typedef struct {
    int helper, socket, host;
    int error;
} execution;

/* In the new process, on the memory of the host: only system calls, past every wrapper. */
static int SHARED execute_helper(void *argument) {
    execution *given = argument;
    static char *const arguments[] = {"curfew-child", NULL};
    static char *const environment[] = {"SWIFT_BACKTRACE=enable=no", NULL};
    /* Out of the way of the two descriptors that the spawner gets. */
    long helper = syscall(SYS_fcntl, given->helper, F_DUPFD_CLOEXEC, spawner_first_free);
    long socket = syscall(SYS_fcntl, given->socket, F_DUPFD_CLOEXEC, spawner_first_free);
    long host = syscall(SYS_fcntl, given->host, F_DUPFD_CLOEXEC, spawner_first_free);
    if (helper >= 0 && socket >= 0 && host >= 0 && syscall(SYS_dup3, socket, spawner_socket, 0) >= 0 &&
        syscall(SYS_dup3, host, spawner_host, 0) >= 0) {
        /* The host's own code may have opened some without O_CLOEXEC. */
        syscall(SYS_close_range, spawner_host + 1, ~0U, CLOSE_RANGE_CLOEXEC);
        syscall(SYS_execveat, helper, "", arguments, environment, AT_EMPTY_PATH);
    }
    given->error = errno;
    for (;;) syscall(SYS_exit_group, 127);
}

/* As posix_spawn(3) does it, which gives no pidfd: the tables of a large host are not copied. */
static int start_helper(execution *given, char *stack_end, int *process) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    /* It takes clone(3) for fork(2), and would change the memory that both share. */
    (void)stack_end;
    long child = syscall(SYS_clone, (unsigned long)(CLONE_PIDFD | SIGCHLD), 0, process, 0, 0);
    if (child == 0) execute_helper(given);
    return (int)child;
#endif
#endif
    return clone(execute_helper, stack_end, CLONE_VM | CLONE_VFORK | CLONE_PIDFD, given, process);
}

uint32_t csys_layout(void) { return csys_layout_number(); }

int32_t csys_spawner_start(csys_spawner *spawner, int32_t helper) {
    enum { stack_bytes = 65536 };
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    execution given = {.helper = helper, .socket = ends[1], .error = 0};
    given.host = (int)syscall(SYS_pidfd_open, getpid(), 0);
    char *stack = csys_map(stack_bytes);
    int process = -1;
    if (given.host < 0 || stack == NULL) {
        given.error = stack == NULL ? ENOMEM : errno;
    } else {
        /* No handler of the host may run in the child. The spawner keeps all of them blocked. */
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int child = start_helper(&given, stack + stack_bytes, &process);
        if (child < 0) given.error = errno;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (child >= 0 && given.error != 0) {
            siginfo_t info;
            waitid((idtype_t)P_PIDFD, (id_t)process, &info, WEXITED | __WALL);
            csys_close(process);
        }
    }
    if (stack != NULL) csys_unmap(stack, stack_bytes);
    csys_close(ends[1]);
    csys_close(given.host);
    if (given.error != 0) csys_close(ends[0]);
    spawner->socket = given.error == 0 ? ends[0] : -1;
    spawner->process = given.error == 0 ? process : -1;
    return given.error;
}

int32_t csys_spawner_greeted(const csys_spawner *spawner, uint64_t until_ns, csys_greeting *greeting) {
    memset(greeting, 0, sizeof *greeting);
    csys_wait_readable(spawner->socket, until_ns);
    ssize_t length;
    do {
        length = recv(spawner->socket, greeting, sizeof *greeting, MSG_DONTWAIT);
    } while (length < 0 && errno == EINTR);
    if (length < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? ETIMEDOUT : errno;
    if (length == 0) return EPIPE;
    bool is_known = length == (ssize_t)sizeof *greeting && greeting->magic == CSYS_SPAWNER_MAGIC &&
                    greeting->layout == csys_layout_number();
    return is_known ? 0 : EPROTO;
}

void csys_spawner_resume(const csys_spawner *spawner) {
    syscall(SYS_pidfd_send_signal, spawner->process, SIGCONT, 0, 0);
}

bool csys_spawner_stop(csys_spawner *spawner, uint64_t until_ns) {
    if (spawner->socket < 0) return true;
    csys_spawner_resume(spawner);
    /* Not only closed: a child that the host's own code forked may have a copy of the socket. */
    csys_request request = {.kind = csys_request_stop};
    send(spawner->socket, &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(spawner->socket);
    csys_wait_readable(spawner->process, until_ns);
    siginfo_t info;
    info.si_pid = 0;
    bool has_ended =
        waitid((idtype_t)P_PIDFD, (id_t)spawner->process, &info, WEXITED | WNOHANG | __WALL) != 0 ||
        info.si_pid != 0;
    close(spawner->process);
    spawner->socket = spawner->process = -1;
    return has_ended;
}

/* --- Requests ----------------------------------------------------------------------------------- */

/* What a request has besides its descriptors. */
typedef struct {
    const char *path;
    const char *directory;
    char *const *arguments;
    char *const *environment;
} words;

static uint64_t count(char *const *list) {
    uint64_t number = 0;
    while (list != NULL && list[number] != NULL) number++;
    return number;
}

/* Writes the offsets of strings; returns the offset behind the last one. */
static uint64_t place(char *const *list, uint64_t number, uint64_t *offsets, uint64_t offset) {
    for (uint64_t index = 0; index < number; index++) {
        offsets[index] = offset;
        offset += strlen(list[index]) + 1;
    }
    offsets[number] = 0;
    return offset;
}

static bool write_text(int file, const char *text) {
    return text == NULL || write_all(file, text, strlen(text) + 1);
}

static int text_file(const words *given) {
    int file = (int)syscall(SYS_memfd_create, "curfew-command", MFD_CLOEXEC);
    if (file < 0) return -1;
    uint64_t arguments = count(given->arguments), environment = count(given->environment);
    uint64_t length = sizeof(csys_request_text) + (arguments + environment + 2) * sizeof(uint64_t);
    csys_request_text *head = csys_map(length);
    bool is_written = head != NULL;
    if (is_written) {
        head->arguments = arguments;
        head->environment = environment;
        uint64_t end = place(given->arguments, arguments, head->words, length);
        end = place(given->environment, environment, head->words + arguments + 1, end);
        head->path = given->path == NULL ? 0 : end;
        head->directory = end + (given->path == NULL ? 0 : strlen(given->path) + 1);
        is_written = write_all(file, head, length);
        csys_unmap(head, length);
    }
    for (uint64_t index = 0; is_written && index < arguments; index++)
        is_written = write_text(file, given->arguments[index]);
    for (uint64_t index = 0; is_written && index < environment; index++)
        is_written = write_text(file, given->environment[index]);
    if (is_written && write_text(file, given->path) && write_text(file, given->directory)) return file;
    close(file);
    errno = ENOMEM;
    return -1;
}

static int32_t send_request(int socket, csys_request *request, const int *sent, unsigned number) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(csys_descriptors_max * sizeof(int))];
    } passed;
    memset(&passed, 0, sizeof passed);
    struct iovec data = {request, sizeof *request};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &passed,
                             .msg_controllen = CMSG_SPACE(number * sizeof(int))};
    passed.header.cmsg_level = SOL_SOCKET;
    passed.header.cmsg_type = SCM_RIGHTS;
    passed.header.cmsg_len = CMSG_LEN(number * sizeof(int));
    memcpy(CMSG_DATA(&passed.header), sent, number * sizeof(int));
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

static int32_t start(const csys_spawner *spawner, uint32_t kind, const words *given,
                     const int places[csys_place_count], const csys_limits *limits,
                     const csys_confinement *confinement, int32_t *control) {
    if (confinement->rule_count > csys_rules_max || confinement->port_count > csys_ports_max)
        return E2BIG;
    csys_request request = {
        .kind = kind,
        .limits = *limits,
        .confines_files = confinement->confines_files,
        .network = confinement->network,
        .masked = confinement->masked,
        .is_alone = confinement->is_alone,
        .rule_count = confinement->rule_count,
        .port_count = confinement->port_count,
    };
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    /* The kernel translates process ids from a pid namespace into the receiver's. */
    int on = 1;
    setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    int sent[csys_descriptors_max];
    unsigned number = 0;
    int text = text_file(given);
    int32_t error = text < 0 ? errno : 0;
    sent[number++] = ends[1];
    sent[number++] = text;
    for (unsigned index = 0; index < csys_place_count; index++) {
        if (places[index] < 0) continue;
        request.places |= 1U << index;
        sent[number++] = places[index];
    }
    for (unsigned index = 0; index < request.rule_count; index++) {
        request.rights[index] = (uint8_t)confinement->rules[index].rights;
        sent[number++] = confinement->rules[index].descriptor;
    }
    for (unsigned index = 0; index < request.port_count; index++)
        request.ports[index] = confinement->ports[index];
    if (error == 0) error = send_request(spawner->socket, &request, sent, number);
    csys_close(text);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return error;
    }
    csys_make_nonblocking(ends[0]);
    *control = ends[0];
    return 0;
}

int32_t csys_command_start(const csys_spawner *spawner, const csys_command *command, int32_t *control) {
    int places[csys_place_count];
    for (int index = 0; index < csys_place_count; index++) places[index] = -1;
    places[csys_place_input] = command->input;
    places[csys_place_payload] = command->payload;
    places[csys_place_output] = command->output;
    places[csys_place_errors] = command->errors;
    places[csys_place_cgroup] = command->cgroup;
    words given = {command->path, command->directory, command->arguments, command->environment};
    return start(spawner, csys_request_program, &given, places, &command->limits,
                 &command->confinement, control);
}

int32_t csys_child_start(const csys_spawner *spawner, const csys_child *child, int32_t *control) {
    const int places[csys_place_count] = {
        [csys_place_input] = -1,
        [csys_place_payload] = -1,
        [csys_place_output] = child->output,
        [csys_place_errors] = child->errors,
        [csys_place_library] = child->library,
        [csys_place_manifest] = child->manifest,
        [csys_place_down] = child->down,
        [csys_place_up] = child->up,
        [csys_place_socket] = child->socket,
        [csys_place_cgroup] = child->cgroup,
    };
    words given = {child->program == NULL ? NULL : child->program[0], child->directory, child->program,
                   child->environment};
    return start(spawner, csys_request_child, &given, places, &child->limits, &child->confinement,
                 control);
}

/* --- Orders and reports ---------------------------------------------------------------------------- */

void csys_child_order(int32_t control, int32_t order) {
    char byte = (char)order;
    send(control, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool csys_child_report_next(int32_t control, csys_child_report *report) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } passed;
    struct iovec data = {report, sizeof *report};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    ssize_t length;
    do {
        message.msg_control = &passed;
        message.msg_controllen = sizeof passed;
        length = recvmsg(control, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (length < 0 && errno == EINTR);
    if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    struct ucred sender = {0};
    if (length > 0) {
        for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part != NULL;
             part = CMSG_NXTHDR(&message, part)) {
            if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS)
                memcpy(&sender, CMSG_DATA(part), sizeof sender);
        }
    }
    if (length != (ssize_t)sizeof *report) {
        memset(report, 0, sizeof *report);
        report->kind = csys_report_lost;
    }
    if (report->kind == csys_report_started && report->value == 0) report->value = sender.pid;
    return true;
}

bool csys_group_is_delegated(int32_t directory) {
    static const char *const marks[] = {"user.delegate", "trusted.delegate"};
    for (size_t index = 0; index < sizeof marks / sizeof *marks; index++) {
        char value[2];
        if (fgetxattr(directory, marks[index], value, sizeof value) == 1 && value[0] == '1') return true;
    }
    return false;
}

const char *csys_feature_name(int32_t feature) {
    static const char *const names[csys_feature_count] = {
        [csys_feature_user_namespace] = "user namespace",
        [csys_feature_process_namespace] = "pid namespace",
        [csys_feature_mount_namespace] = "mount namespace",
        [csys_feature_ipc_namespace] = "ipc namespace",
        [csys_feature_own_proc] = "own /proc",
        [csys_feature_control_group] = "control group",
        [csys_feature_death_signal] = "death signal",
        [csys_feature_memory_killer] = "first to end without memory",
        [csys_feature_memory_limit] = "memory limit",
        [csys_feature_descriptor_limit] = "descriptor limit",
        [csys_feature_process_limit] = "process limit",
        [csys_feature_file_limit] = "file size limit",
        [csys_feature_no_core] = "no core files",
        [csys_feature_no_capabilities] = "no capabilities",
        [csys_feature_bounding_set] = "empty bounding set",
        [csys_feature_no_new_privileges] = "no new privileges",
        [csys_feature_file_rules] = "file rules",
        [csys_feature_port_rules] = "port rules",
        [csys_feature_signal_scope] = "signal scope",
        [csys_feature_socket_scope] = "abstract socket scope",
        [csys_feature_system_calls] = "system call filter",
        [csys_feature_no_network] = "no network",
        [csys_feature_no_unix_sockets] = "no Unix sockets",
    };
    return feature < 0 || feature >= csys_feature_count ? NULL : names[feature];
}
