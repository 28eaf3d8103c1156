/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_containment.h: the system calls for running untrusted code in a child process, observing it,
 * and removing everything that it leaves behind.
 */
#ifndef CSYSTEM_CONTAINMENT_H
#define CSYSTEM_CONTAINMENT_H

#include <stdbool.h>
#include <stdint.h>

/* pidfd_open(2): readable once the process has ended. -1 where the kernel has none. */
int32_t csys_process_descriptor(int32_t process);

/* Removes a directory with everything in it, also what is not writable and however deep it is;
 * never follows a link and never leaves its file system. */
void csys_remove_tree(const char *path);

/* fork(2) and execv(3) of a program without arguments. Returns its wait status, or -1 with errno:
 * ETIMEDOUT where it took longer than `limit_ns` and was killed. */
int32_t csys_fork_exec(const char *program, uint64_t limit_ns);

/* fork(2) of a copy that ends by exit(3) or quick_exit(3). Returns as csys_fork_exec. */
int32_t csys_fork_exit(int32_t status, bool is_quick, uint64_t limit_ns);

/* Whether some of the code of a library is called when this process forks. `code`: an address in it. */
bool csys_runs_at_fork(const void *code, uint64_t limit_ns);

/* From now on copies of this process, made by fork(2), that end by exit(3) are counted. */
void csys_watch_exits_of_copies(void);
uint32_t csys_exits_of_copies(void);

/* Maps pages for `bytes` bytes, followed by a page without access; the last byte is directly before
 * it. NULL without memory. The pages are never released. */
void *csys_guarded_map(uint64_t bytes);
/* Sets the permissions of a guarded map. */
void csys_protect(void *address, uint64_t bytes, bool is_readable, bool is_writable);

/* Bytes that the C library's allocator has given out. */
uint64_t csys_heap_bytes(void);

/* How many keys of thread-local data can still be made. */
uint32_t csys_free_thread_keys(void);

/* Every resource limit of the process, for comparing: 16 pairs of numbers. */
void csys_resource_limits(uint64_t limits[32]);
int32_t csys_nice_value(void);
/* The process may open no descriptor beyond those that are open; its files cannot grow. The first
 * returns the limit that was, for csys_permit_descriptors. */
uint64_t csys_forbid_descriptors(void);
void csys_permit_descriptors(uint64_t limit);
void csys_forbid_growing_files(void);

/* Starts so many threads that wait for each other, and lets them end. Returns how many there could be at a time:
 * fewer where a limit of the user or of a group (pids.max) is near. */
uint32_t csys_threads_at_a_time(uint32_t wanted);

/* A number for the contents of the environment. */
uint64_t csys_environment_hash(void);

/* exit(3), which Swift would take for the end of its function. */
void csys_exit(int32_t status);

#endif /* CSYSTEM_CONTAINMENT_H */
