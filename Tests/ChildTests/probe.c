/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that tells what it was given and what it may do: each argument is a question, and each
 * line of its output an answer. Executed as curfew-child, it greets with another layout of frames.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void tell(const char *name, long result) {
    printf("%s=%s\n", name, result >= 0 ? "ok" : strerrorname_np(errno));
}

static void facts(void) {
    printf("descriptors=");
    for (int number = 0; number < 4096; number++)
        if (fcntl(number, F_GETFD) >= 0) printf("%d ", number);
    printf("\n");
    for (char **variable = environ; *variable != NULL; variable++) printf("variable %s=1\n", *variable);
    char directory[4096];
    printf("directory=%s\n", getcwd(directory, sizeof directory));
    printf("session=%d\n", getsid(0) == getpid());
    printf("pid=%d\n", getpid());
    int death = 0;
    prctl(PR_GET_PDEATHSIG, &death, 0, 0, 0);
    printf("death=%d\ndumpable=%d\n", death, prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
    int names[] = {RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_MEMLOCK};
    const char *texts[] = {"data", "nofile", "nproc", "fsize", "core", "memlock"};
    for (int index = 0; index < 6; index++) {
        struct rlimit limit;
        getrlimit((__rlimit_resource_t)names[index], &limit);
        printf("%s=%lld\n", texts[index], (long long)limit.rlim_cur);
    }
    const char *files[] = {"/proc/self/status", "/proc/self/oom_score_adj"};
    for (int index = 0; index < 2; index++) {
        FILE *file = fopen(files[index], "r");
        char line[256];
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            if (index == 1) printf("oom=%s", line);
            char *colon = strchr(line, ':');
            if (index == 0 && colon != NULL) {
                *colon = 0;
                printf("status %s=%s", line, colon + 2);
            }
        }
        if (file != NULL) fclose(file);
    }
}

static void signal_to(const char *what, pid_t process, const char *digits) {
    char name[64];
    snprintf(name, sizeof name, "%s %s", what, digits);
    if (strcmp(what, "kill") == 0) tell(name, kill(process, 0));
    struct rlimit cpu = {RLIM_INFINITY, RLIM_INFINITY};
    if (strcmp(what, "prlimit") == 0) tell(name, prlimit(process, RLIMIT_CPU, &cpu, NULL));
    if (strcmp(what, "setpriority") == 0) tell(name, setpriority(PRIO_PROCESS, (id_t)process, 0));
    if (strcmp(what, "ptrace") == 0) tell(name, ptrace(PTRACE_SEIZE, process, 0, 0));
    if (strcmp(what, "environ") == 0) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/environ", process);
        tell(name, open(path, O_RDONLY));
    }
}

static void connect_to(const char *digits) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(digits))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    char name[64];
    snprintf(name, sizeof name, "connect %s", digits);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    tell(name, file < 0 ? -1 : connect(file, (struct sockaddr *)&address, sizeof address));
    if (file >= 0) close(file);
}

static void stay(int count) {
    for (int number = 0; number < count; number++) {
        if (fork() != 0) continue;
        setsid();
        if (fork() != 0) _exit(0);
        setsid();
        signal(SIGTERM, SIG_IGN);
        if (write(1, "daemon\n", 7) != 7) _exit(1);
        for (;;) pause();
    }
    signal(SIGTERM, SIG_IGN);
    if (write(1, "stays\n", 6) != 6) _exit(1);
    for (;;) pause();
}

static int greet(void) {
    const uint64_t words[2] = {UINT64_C(0x646c696863667263), 1};
    return send(3, words, sizeof words, MSG_NOSIGNAL) < 0;
}

int main(int count, char **words) {
    if (strcmp(words[0], "curfew-child") == 0) return greet();
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int index = 1; index < count; index++) {
        const char *word = words[index];
        const char *next = index + 1 < count ? words[index + 1] : "";
        if (strcmp(word, "facts") == 0) facts();
        if (strcmp(word, "abort") == 0) abort();
        if (strcmp(word, "fault") == 0) raise(SIGSEGV);
        if (strcmp(word, "exit") == 0) return atoi(next);
        if (strcmp(word, "stay") == 0) stay(atoi(next));
        if (strcmp(word, "connect") == 0) connect_to(next);
        if (strcmp(word, "read") == 0 || strcmp(word, "write") == 0) {
            char name[4200];
            snprintf(name, sizeof name, "%s %s", word, next);
            tell(name, open(next, strcmp(word, "read") == 0 ? O_RDONLY : O_WRONLY | O_CREAT, 0600));
        }
        if (strcmp(word, "run") == 0) {
            fflush(stdout);
            int status = 0;
            pid_t child = fork();
            if (child == 0) {
                char *arguments[] = {(char *)next, NULL};
                execv(next, arguments);
                _exit(errno);
            }
            waitpid(child, &status, 0);
            errno = WEXITSTATUS(status);
            tell("run", status == 0 ? 0 : -1);
        }
        const char *others[] = {"kill", "prlimit", "setpriority", "ptrace", "environ"};
        for (int other = 0; other < 5; other++)
            if (strcmp(word, others[other]) == 0) signal_to(word, atoi(next), next);
        if (strcmp(word, "memory") == 0) {
            size_t length = (size_t)atoll(next);
            void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            tell("memory", memory == MAP_FAILED ? -1 : 0);
            if (memory != MAP_FAILED) munmap(memory, length);
        }
        if (strcmp(word, "open") == 0) {
            int number = 0;
            while (open("/dev/zero", O_RDONLY) >= 0) number++;
            printf("open=%d\n", number);
        }
        if (strcmp(word, "grow") == 0) {
            signal(SIGXFSZ, SIG_IGN);
            int file = memfd_create("grown", 0);
            tell("grow", pwrite(file, "", 1, atoll(next) - 1));
            close(file);
        }
        if (strcmp(word, "calls") == 0) {
            tell("unshare", unshare(CLONE_NEWUSER));
            tell("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
            tell("clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
            tell("clone3", syscall(SYS_clone3, 0, 0));
            tell("death signal", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
            tell("other prctl", prctl(PR_SET_NAME, "probe", 0, 0, 0));
            tell("rings", syscall(SYS_io_uring_setup, 1, 0));
            tell("keys", syscall(SYS_keyctl, 0, 0, 0, 0, 0));
            tell("bpf", syscall(SYS_bpf, 0, 0, 0));
            tell("terminal", ioctl(0, TIOCSTI, "x"));
            tell("own limit", prlimit(0, RLIMIT_CPU, NULL, &(struct rlimit){0, 0}));
            tell("kill self", kill(getpid(), 0));
            tell("raise", raise(SIGCONT));
            tell("kill group", kill(0, 0));
            tell("kill all", kill(-1, SIGCONT));
        }
        if (strcmp(word, "ipc") == 0) {
            int made = shmget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
            tell("shared memory", made);
            if (made >= 0) shmctl(made, IPC_RMID, NULL);
            tell("queue", made = msgget(IPC_PRIVATE, IPC_CREAT | 0600));
            if (made >= 0) msgctl(made, IPC_RMID, NULL);
            tell("semaphores", made = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600));
            if (made >= 0) semctl(made, 0, IPC_RMID);
        }
        /* Only where it goes with the process. */
        if (strcmp(word, "leave memory") == 0)
            tell("left memory", shmget(0x43757266, 1, IPC_CREAT | IPC_EXCL | 0600));
        if (strcmp(word, "sockets") == 0) {
            tell("unix", socket(AF_UNIX, SOCK_STREAM, 0));
            tell("unix packets", socket(AF_UNIX, SOCK_SEQPACKET, 0));
            tell("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0}));
            tell("pair of datagrams", socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, (int[2]){0}));
            tell("pair of raw", socketpair(AF_UNIX, SOCK_RAW, 0, (int[2]){0}));
            tell("tcp", socket(AF_INET, SOCK_STREAM, 0));
            tell("udp", socket(AF_INET6, SOCK_DGRAM, 0));
            tell("several paths", socket(AF_INET, SOCK_STREAM, 262));
            tell("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
        }
    }
    return 0;
}
