/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_loading.h: the system calls for loading a plugin: files opened by descriptor, copies in
 * sealed memory, and the state of the process that a library can change.
 */
#ifndef CSYSTEM_LOADING_H
#define CSYSTEM_LOADING_H

#include <stdbool.h>
#include <stdint.h>

/* --- Files --------------------------------------------------------------------------------- */

/* Opens one component of a path, only to look at it: a link itself and not what it leads to. -1
 * with errno. */
int32_t csys_open_component(int32_t directory, const char *name);

/* Opens a directory for what is below it, or fails where there is a symbolic link on the way. -1
 * with errno; ENOSYS or EPERM where the system has no openat2(2). */
int32_t csys_open_without_links(const char *path);

/* Opens a file or directory with O_PATH, as the place of a Landlock rule. Symbolic links are followed only
 * with `follows_links`. The caller closes it. Returns -1 with errno. */
int32_t csys_open_place(int32_t directory, const char *path, bool follows_links);

/* The owner of a directory, and its mode with its type. */
typedef struct csys_ownership {
    uint32_t mode;
    uint32_t owner;
    uint32_t group;
} csys_ownership;

/* The maximum number of levels up. */
enum { CSYS_LEVELS = 16 };
/* Looks at the directory that many levels above another, or at itself; false with errno, or where
 * there are too many levels. The directory above the root is the root. */
bool csys_look_above(int32_t directory, int32_t levels, csys_ownership *found);

/* Opens a file below `directory` for reading, with openat2(2) so that the kernel refuses every
 * link and every way out; where it has no openat2, only a plain name is opened. -1 with errno. */
int32_t csys_open_beneath(int32_t directory, const char *name);

/* True when the file carries a POSIX access control list, or when that cannot be told. */
bool csys_has_access_list(int32_t fd);

/* memfd_create(2): an empty file in memory, executable and to be sealed. -1 with errno; EFBIG
 * where the process may not have files of `bytes` bytes. */
int32_t csys_memory_file(const char *name, uint64_t bytes);

/* Takes writing, growing and shrinking from everyone, and the right to change that. 0 or errno. */
int32_t csys_seal(int32_t fd);

/* A read-only mapping of a whole file; NULL with errno. */
const void *csys_map_file(int32_t fd, uint64_t bytes);
void csys_unmap_file(const void *address, uint64_t bytes);
/* Takes the pages of a mapping out of this process' memory; they come back when they are read. */
void csys_forget_file_pages(const void *address, uint64_t bytes);

/* Waits until the kernel's clock has gone past a time at which a file was last written to, so that
 * every write from now on gives it another time. That clock moves in steps of some milliseconds.
 * False when it does not get there within 0.1 s, or the file system has no fine times. */
bool csys_wait_past(int64_t seconds, int64_t nanoseconds);

/* getenv(3), but NULL in a program that runs with more rights than its caller has. */
const char *csys_trusted_environment(const char *name);

/* --- Images -------------------------------------------------------------------------------- */

/* True when `symbol` lies in the very object `image`, a handle of dlopen(3)'s, stands for. */
bool csys_image_defines(void *image, const void *symbol);

/* Gives the object another name for dladdr(3), backtraces and debuggers. `name` must stay for
 * ever. Returns the old name, which must stay as well, or NULL. */
const char *csys_name_image(void *image, const char *name);

/* Whether the loader would take a library that is loaded already for one that is needed under a
 * name; *has_versions tells whether the symbols of that library have versions. */
bool csys_is_loaded(const char *name, bool *has_versions);

/* The directories in which the loader looks for libraries besides those that a library names itself:
 * those of the program's DT_RPATH, of LD_LIBRARY_PATH as it was when the process began, and its own;
 * with colons between them, to be freed. An empty element of LD_LIBRARY_PATH stands here as ".". NULL
 * where the loader does not tell. */
char *csys_loader_path(void);

/* Has the system's loader map and relocate the library `fd` is open to, with all that it needs, in a
 * process of its own; no constructor runs there, and no function that chooses another. Returns the
 * wait status: 0 where it came through. -1 with errno where there can be no such process. It is ended
 * after `seconds`. A handler of the host's for SIGCHLD hears nothing of it. */
int32_t csys_try_loading(int32_t fd, uint32_t seconds);

/* --- The state of the process -------------------------------------------------------------- */

/* The action of a signal: SIG_DFL, SIG_IGN or a function's address, with its flags. */
typedef struct csys_signal_action {
    uint64_t handler;
    uint64_t mask;
    int32_t flags;
    uint32_t reserved;
} csys_signal_action;

/* The highest signal there is. */
int32_t csys_last_signal(void);
/* False for signals that are the C library's own. */
bool csys_get_signal_action(int32_t signal, csys_signal_action *action);
void csys_set_signal_action(int32_t signal, const csys_signal_action *action);

/* The signals the calling thread blocks: bit 0 is signal 1. */
uint64_t csys_signal_mask(void);
void csys_set_signal_mask(uint64_t mask);

/* The calling thread's alternate signal stack. */
typedef struct csys_signal_stack {
    uint64_t address;
    uint64_t bytes;
    int32_t flags;
    uint32_t reserved;
} csys_signal_stack;
csys_signal_stack csys_get_signal_stack(void);
void csys_set_signal_stack(const csys_signal_stack *stack);

/* The floating-point control of the calling thread: on x86-64 the control bits of MXCSR in the low
 * half, the x87 control word in the high one; on aarch64 FPCR. The exception flags are not part of it,
 * and stay unchanged. */
uint64_t csys_float_control(void);
void csys_set_float_control(uint64_t control);

/* umask(2) without changing it for a moment, or -1. */
int32_t csys_umask(void);
void csys_set_umask(int32_t mask);

/* The working directory and the root directory as descriptors, or -1 with errno. */
int32_t csys_open_working_directory(void);
int32_t csys_open_root_directory(void);

/* mkstemp(3), closed when another program is run. */
int32_t csys_make_file(char *path);

/* The kernel's number of the calling thread, and whether this process has a thread of a number. */
int32_t csys_thread_id(void);
bool csys_is_thread(int32_t thread);

/* The device and the number of the working directory; false with errno. */
bool csys_working_directory(uint64_t *device, uint64_t *file);
/* The device and the number of the root directory, which chroot(2) changes; false with errno. */
bool csys_root_directory(uint64_t *device, uint64_t *file);
/* chroot(2) to a directory that is open, which becomes the working directory; false with errno. */
bool csys_set_root_directory(int32_t directory);

/* The real, effective and saved ids of the calling thread; setting them sets those of all threads,
 * as setresuid(3) and setresgid(3) do; false with errno. */
typedef struct csys_ids {
    uint32_t users[3];
    uint32_t groups[3];
} csys_ids;
void csys_get_ids(csys_ids *ids);
bool csys_set_users(const uint32_t users[3]);
bool csys_set_groups(const uint32_t groups[3]);

enum { CSYS_SIGNALS = 64 };

/* The state of the process and of the calling thread, for comparing two moments. */
typedef struct csys_process_state {
    /* Of signal 1 and so on; zero for those that are the C library's own. Mask and flags are zero
     * where no function is called: they mean nothing then, but for SIGCHLD's. */
    csys_signal_action actions[CSYS_SIGNALS];
    uint64_t signal_mask;
    csys_signal_stack signal_stack;
    uint64_t float_control;
    int32_t umask; /* -1 where it cannot be told */
    uint32_t reserved;
    csys_ids ids;
} csys_process_state;

/* A descriptor of the calling thread's status, to be read again and again, or -1 with errno. */
int32_t csys_open_status(void);

/* Reads the state, without the working directory. The status has most of it; without one (-1), or if
 * other code has closed or replaced it, each signal costs a system call. */
void csys_get_process_state(int32_t status_fd, csys_process_state *state);
bool csys_same_process_state(const csys_process_state *a, const csys_process_state *b);

#endif /* CSYSTEM_LOADING_H */
