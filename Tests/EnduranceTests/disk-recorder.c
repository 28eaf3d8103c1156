/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comes before libc by LD_PRELOAD, and writes down into the file DISK_LOG, in their order, what is
 * written to the files of the directory DISK_ROOT, what is brought to the disk, and what is told to
 * standard output: so that every moment at which the power could have failed can be looked at.
 *
 * A record is six numbers of 32 bits, then bytes: kind, file, offset (low, high), length of the bytes,
 * 0. The kinds are letters: o opened (the bytes are its name), w written, t truncated, s brought to the
 * disk, d the directory brought to the disk, u removed (its name), a told to standard output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES = 1024, DIRECTORY = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int32_t numbers[FILES]; /* by descriptor; 0: not one of them */
static int32_t last;
static int output = -1;

static void record(char kind, int32_t file, uint64_t offset, const void *bytes, uint32_t length) {
    if (output < 0) {
        const char *name = getenv("DISK_LOG");
        if (!name) return;
        int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                              0600);
        output = fcntl(fd, F_DUPFD_CLOEXEC, FILES);
        syscall(SYS_close, fd);
    }
    uint32_t head[6] = {(uint32_t)kind, (uint32_t)file, (uint32_t)offset, (uint32_t)(offset >> 32),
                        length, 0};
    if (syscall(SYS_write, output, head, sizeof head) != sizeof head) abort();
    if (length > 0 && syscall(SYS_write, output, bytes, length) != length) abort();
}

/* The name below DISK_ROOT, "" for itself; NULL: somewhere else. */
static const char *below(const char *path) {
    const char *root = getenv("DISK_ROOT");
    size_t length = root ? strlen(root) : 0;
    if (length == 0 || strncmp(path, root, length) != 0) return NULL;
    if (path[length] == 0) return "";
    return path[length] == '/' ? path + length + 1 : NULL;
}

static int32_t number(int fd) { return fd >= 0 && fd < FILES ? numbers[fd] : 0; }

int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    pthread_mutex_lock(&lock);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    const char *name = below(path);
    if (fd >= 0 && fd < FILES) {
        numbers[fd] = 0;
        if (name && *name == 0) numbers[fd] = DIRECTORY;
        if (name && !strstr(name, "-shm") &&
            (strncmp(name, "requests.db", 11) == 0 || strcmp(name, "acknowledged") == 0)) {
            numbers[fd] = ++last;
            record('o', last, 0, name, (uint32_t)strlen(name));
        }
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    return open64(path, flags, mode);
}

int close(int fd) {
    pthread_mutex_lock(&lock);
    if (fd >= 0 && fd < FILES) numbers[fd] = 0;
    int result = (int)syscall(SYS_close, fd);
    pthread_mutex_unlock(&lock);
    return result;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_pwrite64, fd, bytes, count, offset);
    if (number(fd) > 0 && done > 0) record('w', number(fd), (uint64_t)offset, bytes, (uint32_t)done);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    return pwrite64(fd, bytes, count, offset);
}

/* What is told is known before anybody reads it. */
ssize_t write(int fd, const void *bytes, size_t count) {
    pthread_mutex_lock(&lock);
    if (fd == 1) record('a', 0, 0, bytes, (uint32_t)count);
    ssize_t done = syscall(SYS_write, fd, bytes, count);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate64(int fd, off64_t size) {
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_ftruncate, fd, size);
    if (number(fd) > 0 && result == 0) record('t', number(fd), (uint64_t)size, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* Only what was there before the call is on the disk after it. */
static int sync_by(long call, int fd) {
    pthread_mutex_lock(&lock);
    int result = (int)syscall(call, fd);
    int32_t file = number(fd);
    if (result == 0 && file == DIRECTORY) record('d', 0, 0, NULL, 0);
    if (result == 0 && file > 0) record('s', file, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int fd) { return sync_by(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_by(SYS_fdatasync, fd); }

int unlink(const char *path) {
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_unlink, path);
    const char *name = below(path);
    if (name && result == 0) record('u', 0, 0, name, (uint32_t)strlen(name));
    pthread_mutex_unlock(&lock);
    return result;
}
