/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_storing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

int32_t csys_lock_file(int32_t fd) {
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (fcntl(fd, F_OFD_SETLK, &all) != 0) {
        if (errno == EINTR) continue;
        return errno == EACCES ? EAGAIN : errno;
    }
    return 0;
}

int32_t csys_lock_directory(int32_t fd) {
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int32_t csys_wait_for_directory(int32_t fd) {
    while (flock(fd, LOCK_EX) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int32_t csys_place(int32_t from_directory, const char *from, int32_t to_directory, const char *to,
                   bool exchanges) {
    unsigned flags = exchanges ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    return renameat2(from_directory, from, to_directory, to, flags) == 0 ? 0 : errno;
}

/* A directory cannot be opened for writing, which a lock for one writer wants: so it is one of a
 * reader, of which several would be let in, and who asks asks as a writer. */
int32_t csys_show_host(int32_t fd) {
    struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    while (fcntl(fd, F_OFD_SETLK, &all) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

void csys_unlock(int32_t fd) {
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(fd, F_OFD_SETLK, &all);
    flock(fd, LOCK_UN);
}

bool csys_has_host(int32_t fd) {
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK;
}

bool csys_is_remote(int32_t fd) {
    struct statfs facts;
    if (fstatfs(fd, &facts) != 0) return false;
    /* <linux/magic.h> has some of them, the kernel's sources the others. */
    switch ((uint32_t)facts.f_type) {
    case 0x6969u:     /* NFS */
    case 0x517Bu:     /* SMB */
    case 0xFE534D42u: /* SMB 2 */
    case 0xFF534D42u: /* CIFS */
    case 0x01021997u: /* 9P */
    case 0x5346414Fu: /* AFS */
    case 0x6B414653u: /* the kernel's AFS */
    case 0x73757245u: /* Coda */
    case 0x00C36400u: /* Ceph */
    case 0x0BD00BD0u: /* Lustre */
    case 0x564Cu:     /* NCP */
        return true;
    default: return false;
    }
}

static bool identify(int fd, const char *path, int flags, csys_identity *identity) {
    struct statx facts;
    if (statx(fd, path, flags, STATX_INO, &facts) == 0) {
        identity->device = makedev(facts.stx_dev_major, facts.stx_dev_minor);
        identity->inode = facts.stx_ino;
        return true;
    }
    /* Filters of system calls that are older than statx(2) deny it, with an error of their choice. */
    struct stat old;
    if (fstatat(fd, path, &old, flags) != 0) return false;
    identity->device = old.st_dev;
    identity->inode = old.st_ino;
    return true;
}

bool csys_identify_path(const char *path, csys_identity *identity) {
    return identify(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, identity);
}

bool csys_identify(int32_t fd, csys_identity *identity) {
    return identify(fd, "", AT_EMPTY_PATH, identity);
}

int32_t csys_obstacle_to_files(const char *directory) {
    if (faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) != 0) return errno;
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    /* Others say that the file system, or the kernel, knows no files without a name. */
    switch (errno) {
    case EROFS: case EACCES: case EPERM: case ENOSPC: case EDQUOT: return errno;
    default: return 0;
    }
}

void csys_forget_cache(int32_t fd) {
    /* Only pages that are on the disk, or are said to be, are forgotten: posix_fadvise(2). */
    (void)fdatasync(fd);
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

void csys_forget_cache_of(const csys_identity *identity) {
    DIR *descriptors = opendir("/proc/self/fd");
    if (!descriptors) return;
    for (struct dirent *entry; (entry = readdir(descriptors));) {
        csys_identity found;
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || !csys_identify(fd, &found)) continue;
        if (found.device == identity->device && found.inode == identity->inode) {
            csys_forget_cache(fd);
            break;
        }
    }
    closedir(descriptors);
}

int32_t csys_touch(int32_t fd) { return futimens(fd, NULL) == 0 ? 0 : errno; }
