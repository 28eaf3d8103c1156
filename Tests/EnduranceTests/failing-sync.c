/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comes before libc by LD_PRELOAD: as long as the file that FAILING_SYNC names is there, nothing can
 * be brought to the disk, as after a fault of the disk's.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sync_by(long call, int fd) {
    const char *flag = getenv("FAILING_SYNC");
    if (flag && access(flag, F_OK) == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(call, fd);
}

int fsync(int fd) { return sync_by(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_by(SYS_fdatasync, fd); }
