/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_containment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
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

/* Whether it is a directory, no link to one, on that device; it can be emptied then, whatever its
 * mode said. */
static bool is_opened_up(int in, const char *name, dev_t device) {
    struct stat status;
    return fstatat(in, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
           status.st_dev == device && fchmodat(in, name, 0700, 0) == 0;
}

static DIR *open_directory(int in, const char *name) {
    int directory = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) return NULL;
    DIR *stream = fdopendir(directory);
    if (stream == NULL) close(directory);
    return stream;
}

static bool is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/* Removes the content of a directory. Directories that are not empty are moved up to `top`. Returns the
 * number of entries that were removed or moved. */
static int empty_directory(int top, dev_t device, DIR *stream, unsigned *number) {
    int count = 0;
    int directory = dirfd(stream);
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (is_dots(entry->d_name)) continue;
        if (unlinkat(directory, entry->d_name, 0) == 0 ||
            unlinkat(directory, entry->d_name, AT_REMOVEDIR) == 0) {
            count++;
            continue;
        }
        if (!is_opened_up(directory, entry->d_name, device)) continue;
        char name[32];
        snprintf(name, sizeof name, "#%u", (*number)++);
        /* Not over one of its own. */
        if (syscall(SYS_renameat2, directory, entry->d_name, top, name, RENAME_NOREPLACE) == 0) count++;
    }
    return count;
}

void csys_remove_tree(const char *path) {
    /* Move level by level up to the top, so that no path becomes too long. Another process may be
     * removing the same tree. */
    unsigned number = 0;
    int fruitless = 0;
    struct stat status;
    if (lstat(path, &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) {  /* something else in its place: not what that leads to */
        unlink(path);
        return;
    }
    chmod(path, 0700);
    DIR *top = open_directory(AT_FDCWD, path);
    while (top != NULL && fruitless < 8) {
        int count = 0;
        rewinddir(top);
        for (struct dirent *entry; (entry = readdir(top)) != NULL;) {
            if (is_dots(entry->d_name)) continue;
            if (unlinkat(dirfd(top), entry->d_name, 0) == 0) {
                count++;
                continue;
            }
            if (!is_opened_up(dirfd(top), entry->d_name, status.st_dev)) continue;
            DIR *below = open_directory(dirfd(top), entry->d_name);
            if (below != NULL) {
                count += empty_directory(dirfd(top), status.st_dev, below, &number);
                closedir(below);
            }
            if (unlinkat(dirfd(top), entry->d_name, AT_REMOVEDIR) == 0) count++;
        }
        if (rmdir(path) == 0 || errno == ENOENT) break;
        fruitless = count > 0 ? 0 : fruitless + 1;
    }
    if (top != NULL) closedir(top);
}

/* Waits for the end of a child, which is killed when its time is up. */
static int32_t wait_status(pid_t child, uint64_t limit_ns) {
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

int32_t csys_fork_exec(const char *program, uint64_t limit_ns) {
    char *arguments[] = {(char *)program, NULL};
    char *environment[] = {NULL};
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        execve(program, arguments, environment);
        _exit(127);
    }
    return wait_status(child, limit_ns);
}

int32_t csys_fork_exit(int32_t status, bool is_quick, uint64_t limit_ns) {
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        if (is_quick) quick_exit(status);
        exit(status);
    }
    return wait_status(child, limit_ns);
}

/* A part of the code of a library. */
struct code {
    uintptr_t address; /* to be looked for */
    uint32_t count;
};

static int forbid_code(struct dl_phdr_info *library, size_t size, void *context) {
    (void)size;
    struct code *code = context;
    bool is_it = false;
    for (int at = 0; at < library->dlpi_phnum; at++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[at];
        const uintptr_t start = library->dlpi_addr + part->p_vaddr;
        is_it = is_it || (part->p_type == PT_LOAD && code->address >= start &&
                          code->address < start + part->p_memsz);
    }
    if (!is_it) return 0;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int at = 0; at < library->dlpi_phnum; at++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[at];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
        const uintptr_t start = (library->dlpi_addr + part->p_vaddr) / page * page;
        const uintptr_t end = library->dlpi_addr + part->p_vaddr + part->p_memsz;
        if (mprotect((void *)start, end - start, PROT_READ) == 0)
            code->count++;
    }
    return 1;
}

/* From now on executing the code of a library is a fault; reading it is none: some linkers put constants
 * beside it. */
static bool forbid_code_at(const void *address) {
    struct code code = {.address = (uintptr_t)address};
    dl_iterate_phdr(forbid_code, &code);
    return code.count > 0;
}

bool csys_runs_at_fork(const void *code, uint64_t limit_ns) {
    /* In a copy, which may die of it. */
    const pid_t copy = fork();
    if (copy < 0) return false;
    if (copy == 0) {
        signal(SIGSEGV, SIG_DFL);
        if (!forbid_code_at(code)) _exit(0);
        const pid_t child = fork();
        if (child == 0) _exit(0);
        int status = 0;
        if (child > 0) waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) raise(WTERMSIG(status));
        _exit(0);
    }
    const int32_t status = wait_status(copy, limit_ns);
    return status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static struct {
    pid_t process;
    _Atomic uint32_t *count; /* shared with the copies */
} exits;

static void count_exit(void) {
    if (exits.count != NULL && getpid() != exits.process) ++*exits.count;
}

void csys_watch_exits_of_copies(void) {
    void *page = mmap(NULL, sizeof *exits.count, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    exits.process = getpid();
    exits.count = page;
    atexit(count_exit);
}

uint32_t csys_exits_of_copies(void) { return exits.count == NULL ? 0 : *exits.count; }

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

uint32_t csys_free_thread_keys(void) {
    enum { most = 4096 };
    static pthread_key_t keys[most];
    uint32_t count = 0;
    while (count < most && pthread_key_create(&keys[count], NULL) == 0) count++;
    for (uint32_t at = 0; at < count; at++) pthread_key_delete(keys[at]);
    return count;
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

static void *wait_for_all(void *gate) {
    pthread_rwlock_rdlock(gate);
    pthread_rwlock_unlock(gate);
    return NULL;
}

uint32_t csys_threads_at_a_time(uint32_t wanted) {
    enum { most = 256 };
    pthread_t threads[most];
    pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
    uint32_t count = 0;
    pthread_rwlock_wrlock(&gate);
    while (count < wanted && count < most &&
           pthread_create(&threads[count], NULL, wait_for_all, &gate) == 0)
        count++;
    pthread_rwlock_unlock(&gate);
    for (uint32_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
    pthread_rwlock_destroy(&gate);
    return count;
}

uint64_t csys_forbid_descriptors(void) {
    /* Numbers below the highest may be free: those are taken. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const uint64_t before = limit.rlim_cur;
    int taken = dup(0);
    if (taken < 0) return before;
    close(taken);
    limit.rlim_cur = (rlim_t)taken;
    setrlimit(RLIMIT_NOFILE, &limit);
    return before;
}

void csys_permit_descriptors(uint64_t number) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = number;
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
