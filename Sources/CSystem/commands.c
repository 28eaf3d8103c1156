/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_commands.h"

#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* syscall(2) is variadic: of an argument beyond the registers all 64 bits count. */

/* The spawner is a fork of a process with many threads, so its code, and that of the supervisors, may
 * call nothing that takes a lock or allocates: only system calls, by number, past every wrapper. The
 * kernel's sizes of signal sets are 8 bytes. */
#if defined(__clang__)
#define ALONE __attribute__((no_sanitize("thread", "address"), noinline))
#else
#define ALONE
#endif

enum { first_free = 16, most_supervisors = 4096, signal_bytes = 8 };
enum { has_input = 1, has_payload = 2, stops = 4 };

/* In a file that the host sends: the text of a command. Offsets become pointers in the supervisor. */
typedef struct {
    uint64_t arguments;
    uint64_t environment;
    uint64_t path;
    uint64_t directory;
    uint64_t words[]; /* the arguments, 0, the environment, 0 */
} specification;

typedef struct {
    int control, text, output, errors, input, payload;
} descriptors;

/* --- The host's side ---------------------------------------------------------------------------- */

static void ALONE spawn(int socket, int host) __attribute__((noreturn));

/* Moves a descriptor away from those of standard input and output. */
static int above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    close(descriptor);
    return moved;
}

int32_t csys_spawner_start(csys_spawner *spawner) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    ends[0] = above_standard(ends[0]);
    ends[1] = above_standard(ends[1]);
    int host = above_standard((int)syscall(SYS_pidfd_open, getpid(), 0));
    int process = -1;
    long child = -1;
    if (ends[0] >= 0 && ends[1] >= 0 && host >= 0) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        /* Without an exit signal: a wait(2) of the host's own code does not see this child. */
        child = syscall(SYS_clone, (unsigned long)CLONE_PIDFD, 0, &process, 0, 0);
        if (child == 0) spawn(ends[1], host);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    int32_t error = child < 0 ? errno : 0;
    csys_close(ends[1]);
    csys_close(host);
    if (error != 0) csys_close(ends[0]);
    spawner->socket = error == 0 ? ends[0] : -1;
    spawner->process = error == 0 ? process : -1;
    return error;
}

void csys_spawner_resume(const csys_spawner *spawner) {
    syscall(SYS_pidfd_send_signal, spawner->process, SIGCONT, 0, 0);
}

bool csys_spawner_stop(csys_spawner *spawner, uint64_t until_ns) {
    if (spawner->socket < 0) return true;
    csys_spawner_resume(spawner);
    /* Not only closed: a child that the host's own code forked may have a copy of the socket. */
    uint32_t flags = stops;
    send(spawner->socket, &flags, sizeof flags, MSG_NOSIGNAL);
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

static uint64_t count(char *const *words) {
    uint64_t number = 0;
    while (words[number] != NULL) number++;
    return number;
}

static bool write_all(int descriptor, const void *bytes, uint64_t length) {
    for (uint64_t done = 0; done < length;) {
        ssize_t written = write(descriptor, (const char *)bytes + done, length - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        done += (uint64_t)written;
    }
    return true;
}

/* Writes the words' offsets; returns the offset behind the last one. */
static uint64_t place(char *const *words, uint64_t number, uint64_t *offsets, uint64_t offset) {
    for (uint64_t index = 0; index < number; index++) {
        offsets[index] = offset;
        offset += strlen(words[index]) + 1;
    }
    offsets[number] = 0;
    return offset;
}

static int text_of(const csys_command *command) {
    int file = (int)syscall(SYS_memfd_create, "curfew-command", MFD_CLOEXEC);
    if (file < 0) return -1;
    uint64_t arguments = count(command->arguments), environment = count(command->environment);
    uint64_t length = sizeof(specification) + (arguments + environment + 2) * sizeof(uint64_t);
    specification *head = csys_map(length);
    bool is_written = head != NULL;
    if (is_written) {
        head->arguments = arguments;
        head->environment = environment;
        uint64_t end = place(command->arguments, arguments, head->words, length);
        end = place(command->environment, environment, head->words + arguments + 1, end);
        head->path = end;
        head->directory = end + strlen(command->path) + 1;
        is_written = write_all(file, head, length);
        csys_unmap(head, length);
    }
    for (char *const *word = command->arguments; is_written && *word != NULL; word++)
        is_written = write_all(file, *word, strlen(*word) + 1);
    for (char *const *word = command->environment; is_written && *word != NULL; word++)
        is_written = write_all(file, *word, strlen(*word) + 1);
    if (is_written && write_all(file, command->path, strlen(command->path) + 1) &&
        write_all(file, command->directory, strlen(command->directory) + 1))
        return file;
    close(file);
    errno = ENOMEM;
    return -1;
}

int32_t csys_command_start(const csys_spawner *spawner, const csys_command *command, int32_t *control) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    int32_t error = 0;
    int text = text_of(command);
    if (text < 0) {
        error = errno;
    } else {
        int sent[6] = {ends[1], text, command->output, command->errors};
        int number = 4;
        uint32_t flags = 0;
        if (command->input >= 0) {
            flags |= has_input;
            sent[number++] = command->input;
        }
        if (command->payload >= 0) {
            flags |= has_payload;
            sent[number++] = command->payload;
        }
        union {
            struct cmsghdr header;
            char bytes[CMSG_SPACE(sizeof sent)];
        } passed;
        memset(&passed, 0, sizeof passed);
        struct iovec data = {&flags, sizeof flags};
        struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &passed,
                                 .msg_controllen = CMSG_SPACE((size_t)number * sizeof(int))};
        passed.header.cmsg_level = SOL_SOCKET;
        passed.header.cmsg_type = SCM_RIGHTS;
        passed.header.cmsg_len = CMSG_LEN((size_t)number * sizeof(int));
        memcpy(CMSG_DATA(&passed.header), sent, (size_t)number * sizeof(int));
        while (sendmsg(spawner->socket, &message, MSG_NOSIGNAL) < 0) {
            if (errno == EINTR) continue;
            error = errno;
            break;
        }
        close(text);
    }
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return error;
    }
    csys_make_nonblocking(ends[0]);
    *control = ends[0];
    return 0;
}

void csys_command_order(int32_t control, int32_t order) {
    char byte = (char)order;
    send(control, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool csys_command_report_next(int32_t control, csys_command_report *report) {
    ssize_t length;
    do {
        length = recv(control, report, sizeof *report, MSG_DONTWAIT);
    } while (length < 0 && errno == EINTR);
    if (length == (ssize_t)sizeof *report) return true;
    if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    memset(report, 0, sizeof *report);
    report->kind = csys_report_lost;
    return true;
}

int32_t csys_sealed_file(const void *bytes, uint64_t length) {
    int file = (int)syscall(SYS_memfd_create, "curfew-payload", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (write_all(file, bytes, length) && lseek(file, 0, SEEK_SET) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

int32_t csys_poller(void) { return epoll_create1(EPOLL_CLOEXEC); }

bool csys_poller_add(int32_t poller, int32_t descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
    return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void csys_poller_remove(int32_t poller, int32_t descriptor) {
    struct epoll_event event = {0};
    epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &event);
}

int32_t csys_poller_wait(int32_t poller, int32_t *descriptors, int32_t capacity, int32_t limit_ms) {
    struct epoll_event events[32];
    int number;
    do {
        number = epoll_wait(poller, events, capacity < 32 ? capacity : 32, limit_ms);
    } while (number < 0 && errno == EINTR);
    for (int index = 0; index < number; index++) descriptors[index] = events[index].data.fd;
    return number < 0 ? 0 : number;
}

int64_t csys_read_available(int32_t descriptor, void *bytes, uint64_t capacity) {
    ssize_t length;
    do {
        length = read(descriptor, bytes, capacity);
    } while (length < 0 && errno == EINTR);
    if (length >= 0) return length;
    return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
}

void csys_make_nonblocking(int32_t descriptor) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

/* --- The spawner -------------------------------------------------------------------------------- */

static long ALONE fork_alone(void) { return syscall(SYS_clone, (unsigned long)SIGCHLD, 0, 0, 0, 0); }

static void ALONE end(int status) __attribute__((noreturn));
static void ALONE end(int status) {
    for (;;) syscall(SYS_exit_group, status);
}

static void ALONE close_alone(int descriptor) {
    if (descriptor >= 0) syscall(SYS_close, descriptor);
}

static void ALONE block_signals(void) {
    uint64_t all = ~(uint64_t)0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, signal_bytes);
}

/* A descriptor that is readable when a child has ended. */
static int ALONE children_watch(void) {
    uint64_t mask = (uint64_t)1 << (SIGCHLD - 1);
    return (int)syscall(SYS_signalfd4, -1, &mask, signal_bytes, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void ALONE drain(int watch) {
    struct signalfd_siginfo info;
    while (syscall(SYS_read, watch, &info, sizeof info) > 0) {
    }
}

static int ALONE wait_any(struct pollfd *waits, unsigned number) {
    return (int)syscall(SYS_ppoll, waits, number, 0, 0, signal_bytes);
}

static void ALONE report(int control, uint32_t kind, int value, uint32_t failure) {
    csys_command_report words = {.kind = kind, .value = value, .failure = failure};
    syscall(SYS_sendto, control, &words, sizeof words, MSG_NOSIGNAL, 0, 0);
}

/* Kills the children of this process that are not among `kept`. Returns how many there are; `denied` is
 * the number of those that may not be killed. -1: they cannot be listed. */
static int ALONE kill_children(const int *kept, int kept_count, int *denied) {
    int number = 0;
    *denied = 0;
    long file = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return -1;
    int process = 0;
    char text[4096];
    long length;
    while ((length = syscall(SYS_read, file, text, sizeof text)) > 0) {
        for (long index = 0; index < length; index++) {
            if (text[index] >= '0' && text[index] <= '9') {
                process = process * 10 + (text[index] - '0');
                continue;
            }
            int is_kept = process == 0;
            for (int other = 0; other < kept_count && !is_kept; other++)
                is_kept = kept[other] == process;
            if (!is_kept) {
                number++;
                if (syscall(SYS_kill, process, SIGKILL) != 0 && errno == EPERM) (*denied)++;
            }
            process = 0;
        }
    }
    close_alone((int)file);
    return number;
}

/* Kills all children of this process and theirs, and waits for them. Returns how many processes live
 * on, because they have other rights. */
static uint32_t ALONE kill_everything(void) {
    for (;;) {
        siginfo_t info;
        long waited;
        do {
            info.si_pid = 0;
            waited = syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG, 0);
        } while (waited == 0 && info.si_pid != 0);
        if (waited != 0) return 0; /* ECHILD */
        int denied;
        int number = kill_children(0, 0, &denied);
        if (number < 0) return 1;
        if (number > 0 && denied == number) return (uint32_t)denied;
        /* Their children come here when they end. */
        if (number > 0) syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOWAIT, 0);
    }
}

static void ALONE supervise(descriptors given, int host, long spawner) __attribute__((noreturn));

/* Receives a request. Returns its flags, or -1 without one. */
static int ALONE receive(int socket, descriptors *given) {
    uint32_t flags = 0;
    int sent[6];
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof sent)];
    } passed;
    struct iovec data = {&flags, sizeof flags};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &passed,
                             .msg_controllen = sizeof passed};
    long length = syscall(SYS_recvmsg, socket, &message, MSG_CMSG_CLOEXEC);
    if (length != sizeof flags) return -1;
    if (flags & stops) return stops;
    int number = message.msg_controllen < sizeof(struct cmsghdr)
                     ? 0
                     : (int)((passed.header.cmsg_len - CMSG_LEN(0)) / sizeof(int));
    const int *received = (const int *)(const void *)CMSG_DATA(&passed.header);
    int wanted = 4 + ((flags & has_input) != 0) + ((flags & has_payload) != 0);
    if (number != wanted) {
        /* Some of them did not fit below the limit of descriptors: the others are of no use. */
        for (int index = 0; index < number; index++) close_alone(received[index]);
        return 0;
    }
    given->control = received[0];
    given->text = received[1];
    given->output = received[2];
    given->errors = received[3];
    int next = 4;
    given->input = flags & has_input ? received[next++] : -1;
    given->payload = flags & has_payload ? received[next++] : -1;
    return (int)flags | 1 << 8;
}

static void ALONE spawn(int socket, int host) {
    static int supervisors[most_supervisors];
    int number = 0;
    block_signals();
    syscall(SYS_setsid);
    syscall(SYS_prctl, PR_SET_NAME, "curfew-spawner", 0, 0, 0);
    /* The host may ignore SIGCHLD, or not want it for stopped children; the spawner needs both. */
    uint64_t action[4] = {0, 0, 0, 0};
    syscall(SYS_rt_sigaction, SIGCHLD, action, 0, signal_bytes);
    /* The orphans of a supervisor that was killed come here. */
    syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    unsigned low = (unsigned)(socket < host ? socket : host);
    unsigned high = (unsigned)(socket < host ? host : socket);
    /* Closes the descriptors that the host had open, so that the spawner keeps none of them. */
    syscall(SYS_close_range, 0, low - 1, 0);
    if (low + 1 < high) syscall(SYS_close_range, low + 1, high - 1, 0);
    syscall(SYS_close_range, high + 1, ~0U, 0);
    for (int index = 0; index < 3; index++) syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    int watch = children_watch();
    long self = syscall(SYS_getpid);
    int is_open = 1;
    while (is_open || number > 0) {
        struct pollfd waits[3] = {{watch, POLLIN, 0}, {is_open ? socket : -1, POLLIN, 0},
                                  {is_open ? host : -1, POLLIN, 0}};
        if (wait_any(waits, 3) < 0) continue;
        if (waits[0].revents != 0) {
            drain(watch);
            siginfo_t info;
            for (;;) {
                info.si_pid = 0;
                if (syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG, 0) != 0) break;
                if (info.si_pid == 0) break;
                if (info.si_code == CLD_STOPPED) {
                    /* A supervisor that its program has stopped could not kill that. */
                    syscall(SYS_kill, info.si_pid, SIGCONT);
                    continue;
                }
                for (int index = 0; index < number; index++)
                    if (supervisors[index] == info.si_pid) supervisors[index--] = supervisors[--number];
            }
            int denied;
            kill_children(supervisors, number, &denied);
        }
        if (waits[2].revents != 0) is_open = 0;
        if (!is_open || waits[1].revents == 0) continue;
        descriptors given;
        int flags = receive(socket, &given);
        if (flags < 0 || flags & stops) is_open = 0;
        if (flags <= 0 || flags & stops) continue;
        long child = -1;
        errno = EAGAIN;
        if (number < most_supervisors && (child = fork_alone()) == 0) {
            close_alone(socket);
            close_alone(watch);
            supervise(given, host, self);
        }
        if (child < 0) report(given.control, csys_report_failed, errno, csys_failure_fork);
        if (child > 0) supervisors[number++] = (int)child;
        close_alone(given.control);
        close_alone(given.text);
        close_alone(given.output);
        close_alone(given.errors);
        close_alone(given.input);
        close_alone(given.payload);
    }
    /* A killed supervisor may have left processes. Their children become children of this one. */
    kill_everything();
    end(0);
}

/* --- A supervisor and its program ------------------------------------------------------------------ */

typedef struct {
    uint32_t failure;
    int32_t error;
} start_failure;

static void ALONE fail(int told, uint32_t failure) __attribute__((noreturn));
static void ALONE fail(int told, uint32_t failure) {
    start_failure words = {failure, errno};
    syscall(SYS_write, told, &words, sizeof words);
    end(127);
}

static int ALONE moved(int descriptor) {
    return descriptor < 0 ? descriptor : (int)syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, first_free);
}

static void ALONE execute(descriptors given, specification *text, int told, long supervisor)
    __attribute__((noreturn));
static void ALONE execute(descriptors given, specification *text, int told, long supervisor) {
    syscall(SYS_setsid);
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (syscall(SYS_getppid) != supervisor) end(127);
    /* Handlers end with the program; signals that the host ignores would stay ignored. */
    uint64_t action[4] = {0, 0, 0, 0};
    for (int number = 1; number <= 64; number++)
        syscall(SYS_rt_sigaction, number, action, 0, signal_bytes);
    told = moved(told);
    int input = moved(given.input), output = moved(given.output), errors = moved(given.errors);
    int payload = moved(given.payload);
    if (input >= 0) syscall(SYS_dup3, input, 0, 0);
    syscall(SYS_dup3, output, 1, 0);
    syscall(SYS_dup3, errors, 2, 0);
    if (payload >= 0) syscall(SYS_dup3, payload, 3, 0);
    syscall(SYS_close_range, payload >= 0 ? 4 : 3, ~0U, CLOSE_RANGE_CLOEXEC);
    char *base = (char *)text;
    if (syscall(SYS_chdir, base + text->directory) != 0) fail(told, csys_failure_directory);
    uint64_t *arguments = text->words;
    uint64_t *environment = text->words + text->arguments + 1;
    for (uint64_t index = 0; index < text->arguments; index++)
        arguments[index] += (uint64_t)(uintptr_t)base;
    for (uint64_t index = 0; index < text->environment; index++)
        environment[index] += (uint64_t)(uintptr_t)base;
    uint64_t none = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, signal_bytes);
    syscall(SYS_execve, base + text->path, arguments, environment);
    fail(told, csys_failure_execute);
}

static uint64_t ALONE nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_usec * 1000U;
}

static void ALONE supervise(descriptors given, int host, long spawner) {
    syscall(SYS_setsid);
    syscall(SYS_prctl, PR_SET_NAME, "curfew-command", 0, 0, 0);
    syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    int parent = (int)syscall(SYS_pidfd_open, spawner, 0);
    if (syscall(SYS_getppid) != spawner) end(1);
    long length = syscall(SYS_lseek, given.text, 0, SEEK_END);
    specification *text =
        (specification *)syscall(SYS_mmap, 0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, given.text, 0L);
    int watch = children_watch();
    int told[2];
    long self = syscall(SYS_getpid);
    long child = -1;
    if (text != MAP_FAILED && syscall(SYS_pipe2, told, O_CLOEXEC) == 0) child = fork_alone();
    if (child == 0) execute(given, text, told[1], self);
    if (child < 0) {
        report(given.control, csys_report_failed, errno, csys_failure_fork);
        end(1);
    }
    close_alone(told[1]);
    close_alone(given.text);
    close_alone(given.output);
    close_alone(given.errors);
    close_alone(given.input);
    close_alone(given.payload);
    int starting = told[0];
    start_failure failure = {0, 0};
    int kills = 0;
    for (;;) {
        struct pollfd waits[5] = {{given.control, POLLIN, 0}, {host, POLLIN, 0}, {parent, POLLIN, 0},
                                  {watch, POLLIN, 0}, {starting, POLLIN, 0}};
        if (wait_any(waits, 5) < 0) continue;
        if (waits[4].revents != 0) {
            if (syscall(SYS_read, starting, &failure, sizeof failure) != sizeof failure)
                report(given.control, csys_report_started, (int)child, 0);
            close_alone(starting);
            starting = -1;
        }
        if (waits[0].revents != 0) {
            char order = csys_order_kill;
            syscall(SYS_read, given.control, &order, 1);
            if (order == csys_order_terminate) {
                /* Before it has set its session up there is no such group. */
                if (syscall(SYS_kill, -child, SIGTERM) != 0) syscall(SYS_kill, child, SIGTERM);
                syscall(SYS_kill, -child, SIGCONT); /* it may be stopped */
            } else {
                kills = 1;
            }
        }
        if (waits[1].revents != 0 || waits[2].revents != 0) kills = 1;
        if (waits[3].revents != 0) drain(watch);
        siginfo_t info;
        info.si_pid = 0;
        if (kills) syscall(SYS_kill, -child, SIGKILL);
        if (kills) syscall(SYS_kill, child, SIGKILL);
        /* Not reaped yet: until then nothing else has its number, which is the group's. */
        if (syscall(SYS_waitid, P_PID, child, &info, WEXITED | WNOWAIT | (kills ? 0 : WNOHANG), 0) != 0)
            end(1);
        if (info.si_pid == 0) {
            /* Orphans that have ended. The program itself may end meanwhile, and is not reaped. */
            siginfo_t other;
            for (;;) {
                other.si_pid = 0;
                if (syscall(SYS_waitid, P_ALL, 0, &other, WEXITED | WNOHANG | WNOWAIT, 0) != 0) break;
                if (other.si_pid == 0 || other.si_pid == (int)child) break;
                syscall(SYS_waitid, P_PID, other.si_pid, &other, WEXITED | WNOHANG, 0);
            }
            if (other.si_pid != (int)child) continue;
            info = other;
        }
        syscall(SYS_kill, -child, SIGKILL);
        if (starting >= 0) {
            if (syscall(SYS_read, starting, &failure, sizeof failure) != sizeof failure)
                report(given.control, csys_report_started, (int)child, 0);
            starting = -1;
        }
        csys_command_report words = {
            .kind = csys_report_ended,
            .value = info.si_code == CLD_EXITED ? info.si_status : -info.si_status,
        };
        words.survivors = kill_everything();
        if (failure.failure != 0) {
            report(given.control, csys_report_failed, failure.error, failure.failure);
            end(0);
        }
        struct rusage usage;
        syscall(SYS_getrusage, RUSAGE_CHILDREN, &usage);
        words.user_ns = nanoseconds(usage.ru_utime);
        words.system_ns = nanoseconds(usage.ru_stime);
        words.memory_bytes = (uint64_t)usage.ru_maxrss * 1024;
        words.read_bytes = (uint64_t)usage.ru_inblock * 512;
        words.written_bytes = (uint64_t)usage.ru_oublock * 512;
        syscall(SYS_sendto, given.control, &words, sizeof words, MSG_NOSIGNAL, 0, 0);
        end(0);
    }
}
