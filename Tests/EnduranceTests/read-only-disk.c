/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comes before libc by LD_PRELOAD: as long as the file that READ_ONLY_DISK names is there, nothing can
 * be written into files or made, as where a file system has become read-only by itself; with the number
 * of an error in READ_ONLY_ERRNO, as where that is the reason.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_read_only(void) {
    const char *flag = getenv("READ_ONLY_DISK");
    return flag && access(flag, F_OK) == 0;
}

static int refused(void) {
    const char *number = getenv("READ_ONLY_ERRNO");
    errno = number ? atoi(number) : EROFS;
    return -1;
}

static bool is_file(int fd) {
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    if (is_read_only()) return refused();
    return syscall(SYS_pwrite64, fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    return pwrite64(fd, bytes, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    if (is_file(fd) && is_read_only()) return refused();
    return syscall(SYS_write, fd, bytes, count);
}

int ftruncate64(int fd, off64_t size) {
    return is_read_only() ? refused() : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
    va_end(list);
    if ((flags & O_ACCMODE) != O_RDONLY && is_read_only()) {
        struct stat facts;
        if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode)) return refused();
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
    va_end(list);
    return open64(path, flags, mode);
}
