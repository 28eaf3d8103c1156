/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* landlock(7). The numbers of the kernel's interface, of which the headers of a distribution often know
 * only the older half. */
enum { rule_path = 1, rule_port = 2, create_version = 1 };
enum {
    execute = 1 << 0,
    write_file = 1 << 1,
    read_file = 1 << 2,
    read_directory = 1 << 3,
    truncate_file = 1 << 14,   /* since version 3 */
    device_control = 1 << 15   /* since version 5 */
};
enum { bind_tcp = 1 << 0, connect_tcp = 1 << 1 };          /* since version 4 */
enum { scope_sockets = 1 << 0, scope_signals = 1 << 1 };   /* since version 6 */

struct ruleset_attributes {
    uint64_t files;
    uint64_t ports;
    uint64_t scoped;
};
struct path_attributes {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));
struct port_attributes {
    uint64_t allowed;
    uint64_t port;
};

int landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, create_version);
    return version < 0 ? -errno : (int)version;
}

static uint64_t file_rights(int version) {
    if (version >= 5) return (1 << 16) - 1;
    if (version >= 3) return (1 << 15) - 1;
    return version == 2 ? (1 << 14) - 1 : (1 << 13) - 1;
}

static bool allow(int rules, int file, uint64_t rights) {
    struct stat status;
    if (fstat(file, &status) != 0) return false;
    uint64_t of_files = execute | write_file | read_file | truncate_file | device_control;
    if (!S_ISDIR(status.st_mode)) rights &= of_files;
    struct path_attributes path = {rights, file};
    return rights == 0 || syscall(SYS_landlock_add_rule, rules, rule_path, &path, 0) == 0;
}

static void allow_path(int rules, const char *path, uint64_t rights) {
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return;
    allow(rules, file, rights);
    close(file);
}

/* What every program needs to be loaded, to find addresses, and to know the time. */
static void allow_system(const beginning *child, int rules, uint64_t handled) {
    static const char *const read[] = {
        "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/ld.so.conf",
        "/etc/ld.so.conf.d", "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/hosts",
        "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/localtime",
        "/etc/timezone", "/etc/passwd", "/etc/group", "/etc/ssl/certs", "/etc/ca-certificates",
    };
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom"};
    /* The kernel opens it as a part of each program. */
    static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};
    for (size_t index = 0; index < sizeof read / sizeof *read; index++)
        allow_path(rules, read[index], read_file | read_directory);
    for (size_t index = 0; index < sizeof devices / sizeof *devices; index++)
        allow_path(rules, devices[index], (read_file | write_file | truncate_file) & handled);
    for (size_t index = 0; index < sizeof loaders / sizeof *loaders; index++)
        allow_path(rules, loaders[index], execute | read_file);
    bool is_own = (child->features.in_force & 1U << csys_feature_own_proc) != 0;
    allow_path(rules, is_own ? "/proc" : "/proc/self", read_file | read_directory);
    if (child->text.path != NULL) allow_path(rules, child->text.path, execute | read_file);
}

static void allow_given(const beginning *child, int rules, uint64_t handled) {
    const csys_request *request = &child->given->request;
    for (unsigned index = 0; index < request->rule_count; index++) {
        uint64_t rights = 0;
        if (request->rights[index] & csys_right_read) rights |= read_file | read_directory;
        if (request->rights[index] & csys_right_write) rights |= handled & ~(uint64_t)execute;
        if (request->rights[index] & csys_right_run) rights |= execute | read_file;
        if (!allow(rules, child->given->rules[index], rights)) fail(child, csys_failure_rules);
    }
}

/* Whether a feature is to be there; notes the reason if it cannot. */
static bool has(beginning *child, enum csys_feature feature, int version, int since) {
    int error = is_masked(child->given, feature) ? ECANCELED
                : version < 0                    ? -version
                : version < since                ? EOPNOTSUPP
                                                 : 0;
    note_feature(&child->features, feature, error);
    return error == 0;
}

int landlock_rules(beginning *child, bool scopes) {
    const csys_request *request = &child->given->request;
    int version = landlock_version();
    struct ruleset_attributes attributes = {0, 0, 0};
    if (request->confines_files && has(child, csys_feature_file_rules, version, 1))
        attributes.files = file_rights(version);
    if (request->network == csys_network_ports && has(child, csys_feature_port_rules, version, 4))
        attributes.ports = bind_tcp | connect_tcp;
    if (scopes && has(child, csys_feature_signal_scope, version, 6)) attributes.scoped |= scope_signals;
    if (scopes && has(child, csys_feature_socket_scope, version, 6)) attributes.scoped |= scope_sockets;
    if ((attributes.files | attributes.ports | attributes.scoped) == 0) return -1;
    size_t length = version >= 6 ? sizeof attributes : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, length, 0);
    if (rules < 0) fail(child, csys_failure_rules);
    if (attributes.files != 0) {
        allow_system(child, rules, attributes.files);
        allow_given(child, rules, attributes.files);
    }
    for (unsigned index = 0; index < request->port_count && attributes.ports != 0; index++) {
        struct port_attributes port = {connect_tcp, request->ports[index]};
        if (syscall(SYS_landlock_add_rule, rules, rule_port, &port, 0) != 0)
            fail(child, csys_failure_rules);
    }
    return rules;
}

void landlock_enter(beginning *child, int rules) {
    if (rules < 0) return;
    static const enum csys_feature features[] = {csys_feature_file_rules, csys_feature_port_rules,
                                                 csys_feature_signal_scope, csys_feature_socket_scope};
    if (syscall(SYS_landlock_restrict_self, rules, 0) != 0) {
        int error = errno;
        for (size_t index = 0; index < sizeof features / sizeof *features; index++)
            if (child->features.in_force & 1U << features[index])
                note_feature(&child->features, features[index], error);
    }
    close(rules);
}
