/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* --- libseccomp, opened and not linked: a system may be without it -------------------------------- */

enum { allow = 0x7fff0000, deny = 0x00050000 /* | errno */, attribute_bad_architecture = 2, attribute_order = 8 };
enum { is_not = 1, is_at_least = 5, is = 4, is_masked_by = 7 };

typedef struct {
    unsigned argument;
    int comparison;
    uint64_t a, b;
} comparison;

static struct {
    void *(*init)(uint32_t);
    void (*release)(void *);
    int (*set)(void *, int, uint32_t);
    int (*resolve)(const char *);
    int (*add)(void *, uint32_t, int, unsigned, const comparison *);
    int (*export)(const void *, int);
} library;

static bool open_library(void) {
    static int state = 0; /* 1: there, -1: not */
    if (state != 0) return state > 0;
    void *handle = dlopen("libseccomp.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) {
        *(void **)&library.init = dlsym(handle, "seccomp_init");
        *(void **)&library.release = dlsym(handle, "seccomp_release");
        *(void **)&library.set = dlsym(handle, "seccomp_attr_set");
        *(void **)&library.resolve = dlsym(handle, "seccomp_syscall_resolve_name");
        *(void **)&library.add = dlsym(handle, "seccomp_rule_add_array");
        *(void **)&library.export = dlsym(handle, "seccomp_export_bpf");
    }
    state = library.init && library.release && library.set && library.resolve && library.add &&
                    library.export
                ? 1
                : -1;
    return state > 0;
}

/* --- The deny list -------------------------------------------------------------------------------- */

/* A filter that is being made. */
typedef struct {
    void *context;
    bool failed;
} draft;

static void refuse_if(draft *filter, const char *name, int error, unsigned count,
                      const comparison *comparisons) {
    int number = library.resolve(name);
    /* A call that this machine does not have, or that the library is too old to know. */
    if (number < 0) return;
    if (library.add(filter->context, deny | (uint32_t)error, number, count, comparisons) != 0)
        filter->failed = true;
}

static void refuse(draft *filter, const char *name) { refuse_if(filter, name, EPERM, 0, NULL); }

/* Registers have 64 bits, of which the kernel takes 32 where the argument is an int. */
static void refuse_int(draft *filter, const char *name, unsigned argument, uint32_t value) {
    comparison equal = {argument, is_masked_by, UINT32_MAX, value};
    refuse_if(filter, name, EPERM, 1, &equal);
}

static void refuse_flag(draft *filter, const char *name, unsigned argument, uint64_t flag) {
    comparison set = {argument, is_masked_by, flag, flag};
    refuse_if(filter, name, EPERM, 1, &set);
}

static void refuse_unless(draft *filter, const char *name, unsigned argument, uint64_t value) {
    comparison other = {argument, is_not, value, 0};
    refuse_if(filter, name, EPERM, 1, &other);
}

static void refuse_calls(draft *filter) {
    static const char *const names[] = {
        /* The memory, descriptors and state of other processes. */
        "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
        "kcmp", "pidfd_getfd", "move_pages", "migrate_pages", "perf_event_open",
        /* Mounts and roots. */
        "mount", "umount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount",
        "fspick", "mount_setattr", "pivot_root", "chroot", "setns", "unshare", "open_by_handle_at", "quotactl", "quotactl_fd", "swapon", "swapoff",
        /* The kernel itself, and parts of it with a long history of faults. */
        "bpf", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "kexec_load",
        "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "syslog", "acct",
        "add_key", "request_key", "keyctl", "lookup_dcookie", "nfsservctl", "vhangup", "iopl", "ioperm",
        /* The machine's clock and name. */
        "settimeofday", "clock_settime", "stime", "adjtimex", "clock_adjtime", "clock_adjtime64",
        "clock_settime64", "sethostname", "setdomainname",
    };
    static const uint64_t namespaces[] = {CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                          CLONE_NEWUSER, CLONE_NEWPID,   CLONE_NEWNET};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) refuse(filter, names[index]);
    for (size_t index = 0; index < sizeof namespaces / sizeof *namespaces; index++)
        refuse_flag(filter, "clone", 0, namespaces[index]);
    /* Its flags are in memory, which a filter cannot read; libraries then call clone. */
    refuse_if(filter, "clone3", ENOSYS, 0, NULL);
    refuse_int(filter, "ioctl", 1, TIOCSTI);
    refuse_int(filter, "ioctl", 1, TIOCLINUX);
    refuse_int(filter, "prctl", 0, PR_SET_PDEATHSIG);
}

/* A lowered limit of the host would end it by SIGXCPU. Own ones are those of process 0. */
static void refuse_other_processes(draft *filter) {
    static const char *const names[] = {"prlimit64", "sched_setaffinity", "sched_setscheduler",
                                        "sched_setparam", "sched_setattr"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        refuse_unless(filter, names[index], 0, 0);
    refuse_unless(filter, "setpriority", 0, 0); /* PRIO_PROCESS */
    refuse_unless(filter, "setpriority", 1, 0);
    refuse_unless(filter, "ioprio_set", 0, 1); /* IOPRIO_WHO_PROCESS */
    refuse_unless(filter, "ioprio_set", 1, 0);
    /* Descriptors send signals to whom they belong. */
    static const uint32_t owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
    for (size_t index = 0; index < sizeof owners / sizeof *owners; index++) {
        refuse_int(filter, "fcntl", 1, owners[index]);
        refuse_int(filter, "fcntl64", 1, owners[index]);
    }
    refuse_int(filter, "ioctl", 1, FIOSETOWN);
    refuse_int(filter, "ioctl", 1, SIOCSPGRP);
}

static void refuse_rings(draft *filter) {
    /* They make sockets that no filter sees. */
    refuse(filter, "io_uring_setup");
    refuse(filter, "io_uring_enter");
    refuse(filter, "io_uring_register");
}

static void refuse_network(draft *filter) {
    refuse_unless(filter, "socket", 0, AF_UNIX);
    refuse_rings(filter);
}

/* Landlock looks at bind and connect of TCP sockets. Everything that would be neither is refused, but
 * for UDP, by which names are found. */
static void refuse_all_but_tcp(draft *filter) {
    for (uint32_t family = 0; family < AF_MAX; family++)
        if (family != AF_UNIX && family != AF_INET && family != AF_INET6 && family != AF_NETLINK)
            refuse_int(filter, "socket", 0, family);
    comparison beyond = {0, is_at_least, AF_MAX, 0};
    refuse_if(filter, "socket", EPERM, 1, &beyond);
    static const uint32_t internet[] = {AF_INET, AF_INET6};
    for (size_t index = 0; index < 2; index++) {
        for (uint32_t type = SOCK_RAW; type <= SOCK_PACKET; type++) {
            comparison raw[] = {{0, is_masked_by, UINT32_MAX, internet[index]},
                                {1, is_masked_by, 0xf, type}};
            refuse_if(filter, "socket", EPERM, 2, raw);
        }
    }
    /* SCTP, DCCP, UDP-Lite, and TCP by several paths, whose connect Landlock does not see. */
    comparison others = {2, is_at_least, IPPROTO_UDP + 1, 0};
    refuse_if(filter, "socket", EPERM, 1, &others);
    refuse_flag(filter, "sendto", 3, MSG_FASTOPEN);
    refuse_flag(filter, "sendmsg", 2, MSG_FASTOPEN);
    refuse_flag(filter, "sendmmsg", 3, MSG_FASTOPEN);
    refuse_rings(filter);
}

/* A plugin that may use the files that its manifest names, and no others, must not speak to the programs of
 * its user: to the host at its control socket, to the session's bus. Landlock sees no connect to a Unix socket
 * of the file system. A pair of datagram sockets can send to any of them. */
static void refuse_other_programs(draft *filter) {
    static const char *const names[] = {"shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl",
                                        "semget", "semop", "semtimedop", "semctl", "mq_open", "mq_unlink"};
    refuse_int(filter, "socket", 0, AF_UNIX);
    for (uint32_t type = SOCK_DGRAM; type <= SOCK_RAW; type++) {
        comparison is_type = {1, is_masked_by, 0xf, type};
        refuse_if(filter, "socketpair", EPERM, 1, &is_type);
    }
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) refuse(filter, names[index]);
    refuse_rings(filter);
}

/* --- Making ------------------------------------------------------------------------------------- */

/* seccomp_export_bpf_mem came with libseccomp 2.6, so the program goes through a file. */
static bool export(draft *filter, struct sock_fprog *program) {
    int file = (int)syscall(SYS_memfd_create, "filter", MFD_CLOEXEC);
    if (file < 0) return false;
    struct stat status;
    bool is_read = false;
    if (library.export(filter->context, file) == 0 && fstat(file, &status) == 0) {
        program->len = (unsigned short)((size_t)status.st_size / sizeof *program->filter);
        program->filter = malloc((size_t)status.st_size);
        is_read = program->filter != NULL &&
                  pread(file, program->filter, (size_t)status.st_size, 0) == status.st_size;
    }
    close(file);
    return is_read;
}

static const struct sock_fprog *filter_of(unsigned variant) {
    static struct sock_fprog programs[filter_variants];
    struct sock_fprog *program = &programs[variant];
    if (program->filter != NULL) return program;
    if (!open_library()) {
        errno = ENOPKG;
        return NULL;
    }
    draft filter = {library.init(allow), false};
    if (filter.context == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    /* Calls of another architecture, such as those of 32 bits, have other numbers. */
    if (library.set(filter.context, attribute_bad_architecture, deny | ENOSYS) != 0) filter.failed = true;
    /* A tree in place of a list, since 2.5: the kernel tries all numbers when the filter is installed. */
    library.set(filter.context, attribute_order, 2);
    if (variant & filter_calls) refuse_calls(&filter);
    if (variant & filter_processes) refuse_other_processes(&filter);
    if (variant & filter_no_network) refuse_network(&filter);
    if (variant & filter_only_tcp) refuse_all_but_tcp(&filter);
    if (variant & filter_confined) refuse_other_programs(&filter);
    bool is_made = !filter.failed && export(&filter, program);
    library.release(filter.context);
    if (is_made) return program;
    free(program->filter);
    program->filter = NULL;
    errno = EINVAL;
    return NULL;
}

/* --- Choosing ------------------------------------------------------------------------------------ */

/* A bit for each filter that was made, or cannot be made. */
static unsigned tried;

unsigned filters_tried(void) { return tried; }

unsigned filter_for(const order *given, const csys_features *features) {
    unsigned variant = 0;
    if (is_confined(given)) {
        variant |= filter_calls;
        uint32_t own_pids = 1U << csys_feature_process_namespace;
        if ((features->in_force & own_pids) == 0) variant |= filter_processes;
    }
    if (given->request.network == csys_network_none) variant |= filter_no_network;
    if (given->request.network == csys_network_ports) variant |= filter_only_tcp;
    if (has_needs(given)) variant |= filter_confined;
    return variant;
}

void choose_filter(const order *given, surroundings *around) {
    unsigned variant = filter_for(given, &around->features);
    around->filter = variant == 0 ? NULL : filter_of(variant);
    around->filter_error = variant != 0 && around->filter == NULL ? errno : 0;
    tried |= 1U << variant;
}

/* --- Entering ------------------------------------------------------------------------------------ */

static int install(const struct sock_fprog *program) {
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0 ? 0 : errno;
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Where neither a pid namespace nor Landlock keeps signals in: they go to the process itself and to
 * its group. Made here, since the filter names the process. */
static int keep_signals(void) {
#ifdef ARCHITECTURE
    enum { target = 9, allowed = 13, refused = 14 };
    uint32_t self = (uint32_t)getpid();
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define AT(line, other) (uint8_t)((other) - (line) - 1)
    struct sock_filter lines[] = {
        /* 0 */ LOAD(arch),
        /* 1 */ IF(ARCHITECTURE, 0, AT(1, allowed)),
        /* 2 */ LOAD(nr),
        /* 3 */ IF(SYS_kill, AT(3, target), 0),
        /* 4 */ IF(SYS_tgkill, AT(4, target), 0),
        /* 5 */ IF(SYS_rt_sigqueueinfo, AT(5, target), 0),
        /* 6 */ IF(SYS_rt_tgsigqueueinfo, AT(6, target), 0),
        /* 7 */ IF(SYS_tkill, AT(7, refused), 0),
        /* 8 */ IF(SYS_pidfd_send_signal, AT(8, refused), AT(8, allowed)),
        /* 9 */ LOAD(args[0]),
        /* 10 */ IF(self, AT(10, allowed), 0),
        /* 11 */ IF(0, AT(11, allowed), 0),
        /* 12 */ IF(0U - self, AT(12, allowed), AT(12, refused)),
        /* 13 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        /* 14 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
#undef LOAD
#undef IF
#undef AT
    struct sock_fprog program = {sizeof lines / sizeof *lines, lines};
    return install(&program);
#else
    return EOPNOTSUPP;
#endif
}

void filter_enter(beginning *child) {
    const surroundings *around = child->around;
    bool is_plugin = child->given->request.kind == csys_request_child;
    bool is_without = child->given->request.network != csys_network_open;
    uint32_t keepers = 1U << csys_feature_process_namespace | 1U << csys_feature_signal_scope;
    int error = is_masked(child->given, csys_feature_system_calls) ? ECANCELED : 0;
    if (error == 0 && is_plugin && (child->features.in_force & keepers) == 0) error = keep_signals();
    if (error == 0) error = around->filter == NULL ? around->filter_error : install(around->filter);
    note_feature(&child->features, csys_feature_system_calls, error);
    if (has_needs(child->given)) note_feature(&child->features, csys_feature_no_unix_sockets, error);
    if (child->given->request.network == csys_network_none)
        note_feature(&child->features, csys_feature_no_network, error);
    else if (is_without && error != 0)
        note_feature(&child->features, csys_feature_port_rules, error);
}
