/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_containment.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int32_t csys_process_descriptor(int32_t process) {
    return (int32_t)syscall(SYS_pidfd_open, process, 0);
}

static int open_up(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)place;
    if (kind == FTW_D || kind == FTW_DNR) chmod(path, 0700);
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void csys_remove_tree(const char *path) {
    /* What cannot be entered yet is not walked: again, until nothing is new. */
    for (int round = 0; round < 8; round++) {
        nftw(path, open_up, 16, FTW_PHYS | FTW_MOUNT);
        if (nftw(path, remove_one, 16, FTW_PHYS | FTW_MOUNT | FTW_DEPTH) != 0 ||
            access(path, F_OK) != 0)
            return;
    }
}

int32_t csys_fork_exec(const char *program, uint64_t limit_ns) {
    char *arguments[] = {(char *)program, NULL};
    char *environment[] = {NULL};
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        execve(program, arguments, environment);
        _exit(127);
    }
    int32_t descriptor = csys_process_descriptor(child);
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    bool is_late = descriptor >= 0 && poll(&ready, 1, (int)(limit_ns / 1000000)) == 0;
    if (is_late) kill(child, SIGKILL);
    if (descriptor >= 0) close(descriptor);
    int status = 0;
    pid_t waited;
    do {
        waited = waitpid(child, &status, 0);
    } while (waited < 0 && errno == EINTR);
    if (waited < 0) return -1;
    if (is_late) {
        errno = ETIMEDOUT;
        return -1;
    }
    return status;
}

static uint64_t whole_pages(uint64_t bytes) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

void *csys_guarded_map(uint64_t bytes) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t room = whole_pages(bytes == 0 ? 1 : bytes);
    char *start = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    mprotect(start + room, page, PROT_NONE);
    return start + room - bytes;
}

void csys_protect(void *address, uint64_t bytes, bool is_readable, bool is_writable) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)address / page * page;
    mprotect((void *)start, whole_pages((uintptr_t)address + bytes - start),
             (is_readable ? PROT_READ : 0) | (is_writable ? PROT_WRITE : 0));
}

uint64_t csys_heap_bytes(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

void csys_resource_limits(uint64_t limits[32]) {
    memset(limits, 0, 32 * sizeof limits[0]);
    for (int which = 0; which < RLIM_NLIMITS && which < 16; which++) {
        struct rlimit limit;
        if (getrlimit(which, &limit) != 0) continue;
        limits[2 * which] = limit.rlim_cur;
        limits[2 * which + 1] = limit.rlim_max;
    }
}

int32_t csys_nice_value(void) { return getpriority(PRIO_PROCESS, 0); }

void csys_forbid_descriptors(void) {
    /* Numbers below the highest may be free: those are taken. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    int taken = dup(0);
    if (taken < 0) return;
    close(taken);
    limit.rlim_cur = (rlim_t)taken;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void csys_forbid_growing_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return;
    /* Where a disk is full the write fails; no signal comes. */
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &limit);
}

uint64_t csys_environment_hash(void) {
    extern char **environ;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (char **next = environ; next != NULL && *next != NULL; next++) {
        for (const char *byte = *next;; byte++) {
            hash = (hash ^ (unsigned char)*byte) * 1099511628211u;
            if (*byte == 0) break;
        }
    }
    return hash;
}

void csys_exit(int32_t status) { exit(status); }
