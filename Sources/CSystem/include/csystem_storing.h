/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_storing.h: the system calls for a store on disk: a lock that belongs to an open file and not
 * to a process, and the detection of network file systems.
 */
#ifndef CSYSTEM_STORING_H
#define CSYSTEM_STORING_H

#include <stdbool.h>
#include <stdint.h>

/* F_OFD_SETLK of fcntl(2): locks the whole file for one writer, without waiting. The lock ends with the
 * last descriptor of this open file. 0 or errno; EAGAIN if another open file has the lock. */
int32_t csys_lock_file(int32_t fd);

/* flock(2): locks the directory for one open file, without waiting. 0 or errno; EWOULDBLOCK if another
 * open file has the lock. */
int32_t csys_lock_directory(int32_t fd);

/* The same, but waits for the other one. 0 or errno. */
int32_t csys_wait_for_directory(int32_t fd);

/* renameat2(2): gives an entry of a directory another name in a second directory. Where that name is
 * taken, the two entries are exchanged, or it fails with EEXIST. 0 or errno; EINVAL where the file
 * system can do neither. */
int32_t csys_place(int32_t from_directory, const char *from, int32_t to_directory, const char *to,
                   bool exchanges);

/* Lets csys_has_host() be true for every other opening of the directory, until this one is closed. 0 or
 * errno. It is true of a file as well that another opening has by csys_lock_file(). */
int32_t csys_show_host(int32_t fd);

/* Gives up all locks of an opening, which copies of the descriptor in other processes would keep. */
void csys_unlock(int32_t fd);
bool csys_has_host(int32_t fd);

/* True when the file is on another machine, as far as its file system tells. */
bool csys_is_remote(int32_t fd);

/* The identity of a file while it is open. */
typedef struct csys_identity {
    uint64_t device;
    uint64_t inode;
} csys_identity;

/* The file at a path, which is not followed where it is a link, or that of a descriptor. False with
 * errno. The times are not asked for: after each look at them Linux gives the next write one of its
 * own, so that the next sync of a file has to write its inode, too. */
bool csys_identify_path(const char *path, csys_identity *identity);
bool csys_identify(int32_t fd, csys_identity *identity);

/* Returns why no file can be created in a directory, as an errno; 0 if one can, or if that is unknown.
 * Creates no file with a name. */
int32_t csys_obstacle_to_files(const char *directory);

/* Writes what is not on the disk yet, as far as that can be, and then forgets what is in memory of a
 * file: it is read from the disk when it is read next. Of a descriptor, or of a file that this process
 * has open anyway: by its descriptor, none is opened or closed. */
void csys_forget_cache(int32_t fd);
void csys_forget_cache_of(const csys_identity *identity);

/* Sets the times of a file to now. 0 or errno. */
int32_t csys_touch(int32_t fd);

#endif /* CSYSTEM_STORING_H */
