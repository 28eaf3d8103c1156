/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_loading.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* --- Files --------------------------------------------------------------------------------- */

int32_t csys_open_component(int32_t directory, const char *name) {
    return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int32_t csys_open_beneath(int32_t directory, const char *name) {
    /* Not blocking: a pipe of that name must not hold up the host. */
    const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct open_how how = {
        .flags = (uint64_t)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    /* EAGAIN: something was renamed meanwhile, and the kernel could not be sure. */
    for (int attempt = 0; attempt < 16; attempt++) {
        long fd = syscall(SYS_openat2, directory, name, &how, sizeof how);
        if (fd >= 0) return (int32_t)fd;
        if (errno != EAGAIN && errno != EINTR) break;
    }
    /* EPERM is what some system call filters answer for a call they do not know. */
    if (errno != ENOSYS && errno != EPERM) return -1;
    if (strchr(name, '/') != NULL || strcmp(name, "..") == 0) {
        errno = EXDEV;
        return -1;
    }
    return openat(directory, name, flags | O_NOFOLLOW);
}

int32_t csys_open_without_links(const char *path) {
    struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int32_t)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int32_t csys_open_place(int32_t directory, const char *path, bool follows_links) {
    if (follows_links) return openat(directory, path, O_PATH | O_CLOEXEC);
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int32_t)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

bool csys_look_above(int32_t directory, int32_t levels, csys_ownership *found) {
    static const char above[] = "../../../../../../../../../../../../../../../..";
    _Static_assert(sizeof above == 3 * CSYS_LEVELS, "one step up a level");
    struct stat status;
    if (levels < 0 || levels > CSYS_LEVELS) return false;
    const char *path = levels == 0 ? "" : above + sizeof above - 3 * (size_t)levels;
    if (fstatat(directory, path, &status, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) return false;
    *found = (csys_ownership){
        .mode = status.st_mode, .owner = status.st_uid, .group = status.st_gid};
    return true;
}

bool csys_has_access_list(int32_t fd) {
    /* fgetxattr(2) takes no descriptor that was opened with O_PATH. */
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", (int)fd);
    if (getxattr(path, "system.posix_acl_access", NULL, 0) >= 0) return true;
    return errno != ENODATA && errno != ENOTSUP;
}

int32_t csys_memory_file(const char *name, uint64_t bytes) {
    /* Growing a file past this limit raises a signal that ends the process. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < bytes) {
        errno = EFBIG;
        return -1;
    }
    enum { executable = 0x10 }; /* MFD_EXEC, since Linux 6.3 */
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | executable);
    if (fd < 0 && errno == EINVAL) fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd;
}

int32_t csys_seal(int32_t fd) {
    const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    return fcntl(fd, F_ADD_SEALS, seals) == 0 ? 0 : errno;
}

const void *csys_map_file(int32_t fd, uint64_t bytes) {
    /* Private: before Linux 6.7 a file that is sealed against writing cannot be mapped shared, not
     * even to be read. Pages that nobody writes are those of the file all the same. */
    void *address = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    return address == MAP_FAILED ? NULL : address;
}

void csys_unmap_file(const void *address, uint64_t bytes) { munmap((void *)address, bytes); }

void csys_forget_file_pages(const void *address, uint64_t bytes) {
    madvise((void *)address, bytes, MADV_DONTNEED);
}

int32_t csys_make_file(char *path) { return mkostemp(path, O_CLOEXEC); }

bool csys_wait_past(int64_t seconds, int64_t nanoseconds) {
    enum { attempts = 100, coarse_seconds = 2 };
    const struct timespec pause = {.tv_nsec = 1000000};
    const struct timespec then = {.tv_sec = (time_t)seconds, .tv_nsec = (long)nanoseconds};
    for (int attempt = 0; attempt < attempts; attempt++) {
        struct timespec now;
        if (clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0) return false;
        /* File systems that have whole seconds only, or every other one. */
        if (then.tv_nsec == 0 && now.tv_sec >= then.tv_sec)
            return now.tv_sec - then.tv_sec > coarse_seconds;
        if (now.tv_sec > then.tv_sec || (now.tv_sec == then.tv_sec && now.tv_nsec > then.tv_nsec))
            return true;
        /* Nothing can wait for a step of that clock: clock_nanosleep(2) does not know it. */
        nanosleep(&pause, NULL);
    }
    return false;
}

const char *csys_trusted_environment(const char *name) { return secure_getenv(name); }

/* --- Images -------------------------------------------------------------------------------- */

bool csys_image_defines(void *image, const void *symbol) {
    struct link_map *own = NULL;
    struct link_map *its = NULL;
    const ElfW(Sym) *entry = NULL;
    Dl_info info;
    if (dlinfo(image, RTLD_DI_LINKMAP, &own) != 0 || own == NULL ||
        dladdr1(symbol, &info, (void **)&its, RTLD_DL_LINKMAP) == 0 || its != own)
        return false;
    /* The function that the loader chose for an indirect one need not have a name. */
    if (dladdr1(symbol, &info, (void **)&entry, RTLD_DL_SYMENT) == 0 || entry == NULL) return true;
    /* The type is in the low four bits, in both sizes of the format. */
    const unsigned char type = entry->st_info & 0xF;
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

const char *csys_name_image(void *image, const char *name) {
    struct link_map *map = NULL;
    if (dlinfo(image, RTLD_DI_LINKMAP, &map) != 0 || map == NULL) return NULL;
    const char *old = map->l_name;
    /* <link.h> gives the first members of link_map to debuggers; a thread that reads meanwhile
     * sees the one name or the other, and both stay. */
    __atomic_store_n(&map->l_name, (char *)name, __ATOMIC_RELEASE);
    return old;
}

bool csys_is_loaded(const char *name, bool *has_versions) {
    /* The loader remembers each name by which it has found a library: the next look-up finds it. */
    void *found = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (found == NULL) return false;
    struct link_map *map = NULL;
    *has_versions = false;
    if (dlinfo(found, RTLD_DI_LINKMAP, &map) == 0 && map != NULL)
        for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == DT_VERSYM) *has_versions = true;
    dlclose(found);
    return true;
}

char *csys_loader_path(void) {
    /* A library that has no path of its own, and is in every process. */
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL) return NULL;
    char *text = NULL;
    Dl_serinfo head;
    if (dlinfo(library, RTLD_DI_SERINFOSIZE, &head) == 0) {
        Dl_serinfo *list = calloc(1, head.dls_size);
        if (list != NULL && dlinfo(library, RTLD_DI_SERINFOSIZE, list) == 0 &&
            dlinfo(library, RTLD_DI_SERINFO, list) == 0 &&
            (text = calloc(1, head.dls_size + 1)) != NULL) {
            char *end = text;
            for (unsigned each = 0; each < list->dls_cnt; each++) {
                if (each > 0) *end++ = ':';
                end = stpcpy(end, list->dls_serpath[each].dls_name);
            }
        }
        free(list);
    }
    dlclose(library);
    return text;
}

/* A trial of the loader's, as its three processes see it: the host, a child that waits, and the
 * loader, which is a child of that. The first two have the same memory. */
typedef struct trial {
    int32_t fd;
    int32_t nowhere;
    uint32_t seconds;
    const char *loader;
    char *const *environment;
    char *stack;
    int32_t status;
    int32_t failure;
} trial;

enum { trial_stack_bytes = 1 << 16 };

static int begin_trial(void *argument) {
    const trial *this = argument;
    const struct rlimit none = {0, 0};
    const struct rlimit time = {this->seconds, this->seconds};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &time);
    /* All signals are blocked but this one; execve(2) takes neither back, nor the alarm. */
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    if (sigaction(SIGALRM, &plain, NULL) != 0 || sigprocmask(SIG_UNBLOCK, &set, NULL) != 0)
        _exit(126);
    alarm(this->seconds);
    /* One that stays open, and is none of the first three. */
    const int library = fcntl(this->fd, F_DUPFD, 3);
    if (library < 0 || dup2(this->nowhere, 1) < 0 || dup2(this->nowhere, 2) < 0) _exit(126);
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", library);
    char *const arguments[] = {(char *)this->loader, name, NULL};
    execve(this->loader, arguments, this->environment);
    _exit(126);
}

/* A program that is started tells its parent of its end by SIGCHLD, whatever clone(2) was told.
 * This process is that parent, in place of the host, whose handler could take any child for its
 * own. */
static int supervise_trial(void *argument) {
    trial *this = argument;
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &plain, NULL);
    const int child = clone(begin_trial, this->stack + trial_stack_bytes,
                            CLONE_VM | CLONE_VFORK | SIGCHLD, this);
    if (child < 0 || waitpid(child, &this->status, 0) != child) this->failure = errno;
    _exit(0);
}

int32_t csys_try_loading(int32_t fd, uint32_t seconds) {
    static const char path_name[] = "LD_LIBRARY_PATH=";
    Dl_info info;
    const void *base = (const void *)(uintptr_t)getauxval(AT_BASE);
    if (base == NULL || dladdr(base, &info) == 0 || info.dli_fname == NULL) {
        errno = ENOSYS;
        return -1;
    }
    const char *path = secure_getenv("LD_LIBRARY_PATH");
    char *path_entry = malloc(sizeof path_name + (path == NULL ? 0 : strlen(path)));
    char *stacks = malloc(2 * trial_stack_bytes);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    trial this = {.fd = fd, .nowhere = nowhere, .seconds = seconds, .loader = info.dli_fname,
                  .stack = stacks, .failure = ENOMEM};
    if (path_entry != NULL && stacks != NULL && nowhere >= 0) {
        strcpy(stpcpy(path_entry, path_name), path == NULL ? "" : path);
        /* ldd -r sets the same. An empty path would be the directory the process is in. */
        char *const environment[] = {
            "LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=1", "LD_BIND_NOW=1",
            path == NULL || *path == 0 ? NULL : path_entry, NULL};
        this.environment = environment;
        this.failure = 0;
        /* A handler of the host's must not run in a child, which has the memory of the host. This
         * thread stands still until the first child has ended. */
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        const int child =
            clone(supervise_trial, stacks + 2 * trial_stack_bytes, CLONE_VM | CLONE_VFORK, &this);
        if (child < 0) this.failure = errno;
        while (child > 0 && waitpid(child, NULL, __WCLONE) < 0 && errno == EINTR) {}
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (nowhere >= 0) close(nowhere);
    free(stacks);
    free(path_entry);
    errno = this.failure;
    return this.failure == 0 ? this.status : -1;
}

/* --- Threads ------------------------------------------------------------------------------- */

int32_t csys_thread_id(void) { return gettid(); }

bool csys_is_thread(int32_t thread) { return tgkill(getpid(), thread, 0) == 0 || errno != ESRCH; }

/* --- The state of the process -------------------------------------------------------------- */

int32_t csys_last_signal(void) { return SIGRTMAX; }

/* The kernel's set is the first word of the C library's, on every system with words of 64 bits. */
_Static_assert(sizeof(unsigned long) == 8, "a signal set of one word");
static uint64_t bits_of(const sigset_t *set) {
    uint64_t bits;
    memcpy(&bits, set, sizeof bits);
    return bits;
}

static sigset_t set_of(uint64_t bits) {
    sigset_t set;
    sigemptyset(&set);
    for (int signal = 1; signal <= 64; signal++)
        if (bits >> (signal - 1) & 1) sigaddset(&set, signal);
    return set;
}

/* The C library sets it wherever it sets an action, and has another function for it: one that was only
 * put back would look changed. */
enum { sa_restorer = 0x04000000 };

bool csys_get_signal_action(int32_t signal, csys_signal_action *action) {
    struct sigaction now;
    if (sigaction(signal, NULL, &now) != 0) return false;
    *action = (csys_signal_action){
        .handler = (uint64_t)(uintptr_t)now.sa_handler,
        .mask = bits_of(&now.sa_mask),
        .flags = now.sa_flags & ~sa_restorer,
    };
    return true;
}

void csys_set_signal_action(int32_t signal, const csys_signal_action *action) {
    struct sigaction next = {.sa_flags = action->flags, .sa_mask = set_of(action->mask)};
    next.sa_handler = (void (*)(int))(uintptr_t)action->handler;
    sigaction(signal, &next, NULL);
}

uint64_t csys_signal_mask(void) {
    sigset_t set;
    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    return bits_of(&set);
}

void csys_set_signal_mask(uint64_t mask) {
    const sigset_t set = set_of(mask);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}

csys_signal_stack csys_get_signal_stack(void) {
    stack_t now;
    memset(&now, 0, sizeof now);
    sigaltstack(NULL, &now);
    /* Whether the thread is on it right now says nothing about what it is set to. */
    return (csys_signal_stack){
        .address = now.ss_flags & SS_DISABLE ? 0 : (uint64_t)(uintptr_t)now.ss_sp,
        .bytes = now.ss_flags & SS_DISABLE ? 0 : now.ss_size,
        .flags = now.ss_flags & ~SS_ONSTACK,
    };
}

void csys_set_signal_stack(const csys_signal_stack *stack) {
    const stack_t next = {
        .ss_sp = (void *)(uintptr_t)stack->address,
        .ss_size = (size_t)stack->bytes,
        .ss_flags = stack->flags,
    };
    sigaltstack(&next, NULL);
}

#if defined(__x86_64__)
enum { mxcsr_flags = 0x3F };

uint64_t csys_float_control(void) {
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | (_mm_getcsr() & ~(uint32_t)mxcsr_flags);
}

void csys_set_float_control(uint64_t control) {
    _mm_setcsr((uint32_t)control | (_mm_getcsr() & mxcsr_flags));
    const uint16_t x87 = (uint16_t)(control >> 32);
    uint16_t now;
    __asm__ volatile("fnstcw %0" : "=m"(now));
    if (now == x87) return;
    /* An exception that is flagged and was unmasked would be raised by the next instruction that
     * looks, fldcw among them. */
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87));
}
#elif defined(__aarch64__)
uint64_t csys_float_control(void) {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}

void csys_set_float_control(uint64_t control) {
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
#else
uint64_t csys_float_control(void) { return 0; }
void csys_set_float_control(uint64_t control) { (void)control; }
#endif

/* The fields of a thread's status that tell of signals and the umask. */
typedef struct thread_status {
    int32_t umask;
    uint64_t blocked;
    uint64_t ignored;
    uint64_t caught;
} thread_status;

int32_t csys_open_status(void) { return open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC); }

/* The number after a name, which begins a line; *text moves behind it. */
static bool status_field(const char **text, const char *name, int base, uint64_t *value) {
    const char *line = strstr(*text, name);
    if (line == NULL) return false;
    char *end;
    *value = strtoull(line + strlen(name), &end, base);
    *text = end;
    return true;
}

/* The fields stand in this order, with those of memory and of groups between them: there may be
 * many groups, and then what is behind them is not told. */
static bool read_status(int32_t fd, thread_status *status) {
    char buffer[8192];
    const ssize_t count = pread(fd, buffer, sizeof buffer - 1, 0);
    if (count <= 0) return false;
    buffer[count] = 0;
    const char *text = buffer;
    uint64_t umask;
    if (strncmp(text, "Name:", 5) != 0 || !status_field(&text, "\nUmask:", 8, &umask) ||
        !status_field(&text, "\nSigBlk:", 16, &status->blocked) ||
        !status_field(&text, "\nSigIgn:", 16, &status->ignored) ||
        !status_field(&text, "\nSigCgt:", 16, &status->caught) || *text != '\n')
        return false;
    status->umask = (int32_t)umask;
    return true;
}

int32_t csys_umask(void) {
    /* umask(2) only tells the mask by changing it, and what another thread made meanwhile would be
     * open to everyone. */
    int fd = csys_open_status();
    if (fd < 0) return -1;
    char text[1024];
    ssize_t count = read(fd, text, sizeof text - 1);
    close(fd);
    if (count <= 0) return -1;
    text[count] = 0;
    const char *line = strstr(text, "\nUmask:");
    return line == NULL ? -1 : (int32_t)strtol(line + 7, NULL, 8);
}

void csys_set_umask(int32_t mask) { umask((mode_t)mask); }

int32_t csys_open_working_directory(void) {
    return open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int32_t csys_open_root_directory(void) { return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC); }

void csys_get_ids(csys_ids *ids) {
    /* They fail for addresses alone. */
    (void)getresuid(&ids->users[0], &ids->users[1], &ids->users[2]);
    (void)getresgid(&ids->groups[0], &ids->groups[1], &ids->groups[2]);
}

bool csys_set_users(const uint32_t users[3]) {
    return setresuid(users[0], users[1], users[2]) == 0;
}

bool csys_set_groups(const uint32_t groups[3]) {
    return setresgid(groups[0], groups[1], groups[2]) == 0;
}

/* A handler's function is called with its mask and flags; where there is none they say nothing, but
 * for what the death of a child does. */
static csys_signal_action plain_action(int32_t signal, csys_signal_action action) {
    if (action.handler > 1) return action;
    action.mask = 0;
    action.flags = signal == SIGCHLD ? action.flags & (SA_NOCLDSTOP | SA_NOCLDWAIT) : 0;
    return action;
}

void csys_get_process_state(int32_t status_fd, csys_process_state *state) {
    memset(state, 0, sizeof *state);
    thread_status status;
    const bool is_told = status_fd >= 0 && read_status(status_fd, &status);
    state->umask = is_told ? status.umask : csys_umask();
    state->signal_mask = is_told ? status.blocked : csys_signal_mask();
    for (int32_t signal = 1; signal <= CSYS_SIGNALS; signal++) {
        /* The C library's own: a program that was started by another may ignore them, until the
         * library has a use for them. */
        if (signal > 31 && signal < SIGRTMIN) continue;
        csys_signal_action *action = &state->actions[signal - 1];
        const uint64_t bit = UINT64_C(1) << (signal - 1);
        if (is_told && signal != SIGCHLD && (status.caught & bit) == 0) {
            action->handler = (status.ignored & bit) != 0 ? 1 : 0;
        } else if (csys_get_signal_action(signal, action)) {
            *action = plain_action(signal, *action);
        }
    }
    state->signal_stack = csys_get_signal_stack();
    state->float_control = csys_float_control();
    csys_get_ids(&state->ids);
}

bool csys_same_process_state(const csys_process_state *a, const csys_process_state *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static bool directory_numbers(const char *path, uint64_t *device, uint64_t *file) {
    struct stat status;
    if (stat(path, &status) != 0) return false;
    *device = (uint64_t)status.st_dev;
    *file = (uint64_t)status.st_ino;
    return true;
}

bool csys_working_directory(uint64_t *device, uint64_t *file) {
    return directory_numbers(".", device, file);
}

bool csys_root_directory(uint64_t *device, uint64_t *file) {
    return directory_numbers("/", device, file);
}

bool csys_set_root_directory(int32_t directory) {
    return fchdir(directory) == 0 && chroot(".") == 0;
}
