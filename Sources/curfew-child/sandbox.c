/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

bool is_masked(const order *given, enum csys_feature feature) {
#ifdef DEBUG
    return (given->request.masked & 1U << feature) != 0;
#else
    (void)given, (void)feature;
    return false;
#endif
}

bool has_needs(const order *given) {
    return given->request.confines_files || given->request.network != csys_network_open;
}

bool is_confined(const order *given) {
    return given->request.kind == csys_request_child || has_needs(given);
}

void note_feature(csys_features *features, enum csys_feature feature, int error) {
    uint32_t bit = 1U << feature;
    features->asked |= bit;
    features->in_force = error == 0 ? features->in_force | bit : features->in_force & ~bit;
    features->errors[feature] = error;
}

void reset_signals(void) {
    /* Past sigaction(2) of libc, which refuses the signals that it keeps for itself: they could be ignored
     * since before the host, and would stay so. */
    uint64_t action[4] = {0, 0, 0, 0};
    for (int number = 1; number <= 64; number++)
        syscall(SYS_rt_sigaction, number, action, NULL, sizeof(uint64_t));
}

void die_with_supervisor(beginning *child) {
    int error = 0;
    if (is_masked(child->given, csys_feature_death_signal))
        error = ECANCELED;
    else if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        error = errno;
    note_feature(&child->features, csys_feature_death_signal, error);
    if (getppid() != child->supervisor) _exit(127);
}

/* --- Resource limits ------------------------------------------------------------------------------ */

static int limit(int resource, uint64_t most) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now) != 0) return errno;
    rlim_t wanted = most == UINT64_MAX ? RLIM_INFINITY : (rlim_t)most;
    if (wanted > now.rlim_max) wanted = now.rlim_max;
    struct rlimit then = {wanted, wanted};
    return setrlimit((__rlimit_resource_t)resource, &then) == 0 ? 0 : errno;
}

void set_limits(beginning *child, bool has_defaults) {
    csys_limits given = child->given->request.limits;
    if (has_defaults) given = csys_plugin_limits(given);
    const struct {
        int resource;
        enum csys_feature feature;
        uint64_t most;
    } limits[] = {
        {RLIMIT_DATA, csys_feature_memory_limit, given.memory},
        {RLIMIT_NOFILE, csys_feature_descriptor_limit, given.descriptors},
        {RLIMIT_NPROC, csys_feature_process_limit, given.processes},
        {RLIMIT_FSIZE, csys_feature_file_limit, given.file_bytes},
    };
    for (size_t index = 0; index < sizeof limits / sizeof *limits; index++) {
        uint64_t most = limits[index].most;
        if (most == 0) continue;
        int error;
        if (is_masked(child->given, limits[index].feature)) {
            error = ECANCELED;
        } else if (limits[index].resource == RLIMIT_NPROC &&
                   !(child->features.in_force & 1U << csys_feature_user_namespace)) {
            /* It would count everything that the user runs, and refuse the first thread. */
            error = EOPNOTSUPP;
        } else if (limits[index].resource == RLIMIT_NPROC && child->around->user == 0) {
            error = EPERM; /* setrlimit(2): root is exempt */
        } else {
            error = limit(limits[index].resource, most);
        }
        note_feature(&child->features, limits[index].feature, error);
    }
    if (!has_defaults) return;
    note_feature(&child->features, csys_feature_no_core, limit(RLIMIT_CORE, 0));
    limit(RLIMIT_MEMLOCK, 0);
}

void be_first_without_memory(beginning *child) {
    int error = 0;
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "500", 3) != 3) error = errno;
    close_if_open(file);
    note_feature(&child->features, csys_feature_memory_killer, error);
}

/* --- Rights --------------------------------------------------------------------------------------- */

int drop_bounding_set(const order *given) {
    if (is_masked(given, csys_feature_bounding_set)) return ECANCELED;
    int error = 0;
    /* Up to the first that the kernel does not know. */
    for (int right = 0; error == 0; right++)
        if (prctl(PR_CAPBSET_DROP, right, 0, 0, 0) != 0) error = errno;
    return error == EINVAL ? 0 : error;
}

void drop_capabilities(beginning *child) {
    int error = 0;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}};
    if (is_masked(child->given, csys_feature_no_capabilities))
        error = ECANCELED;
    else if (syscall(SYS_capset, &header, none) != 0)
        error = errno;
    note_feature(&child->features, csys_feature_no_capabilities, error);
}

void forbid_new_privileges(beginning *child) {
    int error = 0;
    if (is_masked(child->given, csys_feature_no_new_privileges))
        error = ECANCELED;
    else if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        error = errno;
    note_feature(&child->features, csys_feature_no_new_privileges, error);
}
