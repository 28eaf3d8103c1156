/* SPDX-License-Identifier: Apache-2.0
 *
 * Kills a process at one of its system calls, so that a test can look at what the others make of it.
 *
 *     call-killer run DEPTH N REPORT PROGRAM [ARGUMENT…]
 *     call-killer attach DEPTH N REPORT PID
 *
 * DEPTH 0 is PROGRAM or PID itself, 1 the first process that one starts, and so on. The process is
 * killed when it enters its Nth system call. REPORT gets the lines "attached"; "killed NUMBER", of the
 * call, unless there are fewer calls; and at the end of `run` "left" if a process that PROGRAM has started
 * is there 2 s after its end, else "nothing". `attach` ends with the last process that it follows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <linux/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most = 4096 };
static struct {
    pid_t thread, process;
    int depth;
} known[most];
static int count;
static int report = -1;

static void tell(const char *format, long number) {
    char line[64];
    const int length = snprintf(line, sizeof line, format, number);
    if (write(report, line, (size_t)length) != length) _exit(3);
}

/* Reads a number of /proc/THREAD/status, such as that of "\nTgid:". */
static pid_t status(pid_t thread, const char *name) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size < 0) return 0;
    text[size] = 0;
    const char *place = strstr(text, name);
    return place == NULL ? 0 : (pid_t)atol(place + strlen(name));
}

static int find(pid_t thread) {
    for (int index = 0; index < count; index++)
        if (known[index].thread == thread) return index;
    return -1;
}

static int depth_of(pid_t process) {
    for (int index = 0; index < count; index++)
        if (known[index].process == process) return known[index].depth;
    return -1;
}

/* Its index; a thread that is seen for the first time is entered. */
static int enter(pid_t thread, int depth) {
    const int found = find(thread);
    if (found >= 0 || count == most) return found;
    const pid_t process = status(thread, "\nTgid:");
    if (depth < 0) depth = depth_of(process);
    if (depth < 0) {
        const int parent = depth_of(status(thread, "\nPPid:"));
        depth = parent < 0 ? 100 : parent + 1;
    }
    known[count].thread = thread;
    known[count].process = process;
    known[count].depth = depth;
    return count++;
}

static void alarmed(int number) {
    (void)number;
    tell("left\n", 0);
    _exit(4);
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    const bool runs = strcmp(argv[1], "run") == 0;
    const int depth = atoi(argv[2]);
    const long wanted = atol(argv[3]);
    report = open(argv[4], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                         PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
    pid_t root = atoi(argv[5]);
    if (runs) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        root = fork();
        if (root == 0) {
            raise(SIGSTOP);
            execv(argv[5], argv + 5);
            _exit(127);
        }
        waitpid(root, NULL, WUNTRACED);
    }
    if (ptrace(PTRACE_SEIZE, root, 0, options) != 0) {
        perror("ptrace");
        return 3;
    }
    enter(root, 0);
    if (runs) kill(root, SIGCONT);
    else ptrace(PTRACE_INTERRUPT, root, 0, 0);
    tell("attached\n", 0);

    pid_t target = 0;
    long calls = 0;
    bool is_killed = false;
    int code = 0;
    while (true) {
        int state = 0;
        const pid_t thread = waitpid(-1, &state, __WALL);
        if (thread < 0) {
            if (errno == EINTR) continue;
            break;
        }
        if (!WIFSTOPPED(state)) {
            const int index = find(thread);
            if (index >= 0) known[index] = known[--count];
            if (thread != root || !runs) continue;
            code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
            signal(SIGALRM, alarmed);
            alarm(2);
            continue;
        }
        const int index = enter(thread, -1);
        if (index < 0) return 3;
        if (target == 0 && known[index].depth == depth) target = known[index].process;
        const int event = state >> 16, number = WSTOPSIG(state);
        long deliver = 0;
        if (number == (SIGTRAP | 0x80)) {
            struct ptrace_syscall_info info;
            if (!is_killed && known[index].process == target &&
                ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 &&
                info.op == PTRACE_SYSCALL_INFO_ENTRY && ++calls == wanted) {
                is_killed = true;
                tell("killed %ld\n", (long)info.entry.nr);
                kill(target, SIGKILL);
                continue;
            }
        } else if (event == PTRACE_EVENT_STOP && number != SIGTRAP) {
            ptrace(PTRACE_LISTEN, thread, 0, 0);
            continue;
        } else if (event == 0 && number != SIGTRAP) {
            deliver = number;
        }
        const bool counts = !is_killed && known[index].process == target;
        ptrace(counts ? PTRACE_SYSCALL : PTRACE_CONT, thread, 0, deliver);
    }
    if (runs) tell("nothing\n", 0);
    return code;
}
