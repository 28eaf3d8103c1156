/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_children.h: programs and plugins as child processes, with everything that they start.
 *
 * A host starts one spawner: the program curfew-child, which it executes once. For each child the
 * spawner forks a supervisor, which starts the child in a session of its own, adopts the orphans of
 * it, and kills what is left when the child has ended, when it receives the order, or when the host or
 * the spawner has ended. The supervisor of a plugin is process 1 of a pid namespace where the kernel
 * permits one: its end is the end of everything inside.
 */
#ifndef CSYSTEM_CHILDREN_H
#define CSYSTEM_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

/* --- The spawner ---------------------------------------------------------------------------- */

typedef struct csys_spawner {
    int32_t socket;
    int32_t process; /* a pidfd */
} csys_spawner;

/* The first frame of a spawner: which program it is, and the layout of the frames that it knows. */
typedef struct csys_greeting {
    uint64_t magic;
    uint32_t layout;
    uint32_t reserved;
} csys_greeting;

/* The layout that this host knows. */
uint32_t csys_layout(void);

/* Executes `helper`, a descriptor of curfew-child. Returns 0 or an errno. The spawner is a child of
 * this process, which a wait(2) for any child can see; it is waited for by its pidfd. */
int32_t csys_spawner_start(csys_spawner *spawner, int32_t helper);
/* Waits for its first frame until a CLOCK_MONOTONIC time. Returns 0, or an errno: EPROTO when its
 * layout is another one, ETIMEDOUT, or EPIPE when it has ended. */
int32_t csys_spawner_greeted(const csys_spawner *spawner, uint64_t until_ns, csys_greeting *greeting);
/* Continues a spawner that a child has stopped. It does the same for supervisors by itself. */
void csys_spawner_resume(const csys_spawner *spawner);
/* Ends a spawner, whose children are killed, and waits until a CLOCK_MONOTONIC time. Returns false
 * when it has not ended by then. */
bool csys_spawner_stop(csys_spawner *spawner, uint64_t until_ns);

/* --- What confines a child -------------------------------------------------------------------- */

/* Resource limits. 0: for a plugin the default below, for a program none. UINT64_MAX: none. */
typedef struct csys_limits {
    uint64_t memory; /* bytes of private memory */
    uint64_t descriptors;
    uint64_t processes; /* threads count; in force in a user namespace or a control group only */
    uint64_t file_bytes;
} csys_limits;

/* The limits of a plugin: those that are given, and the defaults for the others. */
static inline csys_limits csys_plugin_limits(csys_limits given) {
    if (given.memory == 0) given.memory = UINT64_C(1) << 30;
    if (given.descriptors == 0) given.descriptors = 256;
    if (given.processes == 0) given.processes = 64;
    if (given.file_bytes == 0) given.file_bytes = UINT64_C(1) << 30;
    return given;
}

enum { csys_rules_max = 128, csys_ports_max = 64 };
enum { csys_right_read = 1, csys_right_write = 2, csys_right_run = 4 };
enum { csys_network_open = 0, csys_network_none = 1, csys_network_ports = 2 };

/* Something on disk, and what may be done with it and what is below it. */
typedef struct csys_rule {
    int32_t descriptor; /* O_PATH */
    uint32_t rights;
} csys_rule;

typedef struct csys_confinement {
    bool confines_files; /* only `rules`, besides what every program needs */
    uint32_t network;
    const csys_rule *rules;
    const uint16_t *ports; /* of TCP */
    uint32_t rule_count;
    uint32_t port_count;
    uint32_t masked; /* bits of features to do without; only builds for tests honour it */
    /* No other process is started by the same spawner, which makes nothing ready for one. */
    bool is_alone;
} csys_confinement;

/* What can be in force in a child. */
enum csys_feature {
    csys_feature_user_namespace = 0,
    csys_feature_process_namespace,
    csys_feature_mount_namespace,
    csys_feature_ipc_namespace, /* shared memory, queues and semaphores of System V end with it */
    csys_feature_own_proc,
    csys_feature_control_group,
    csys_feature_death_signal,
    csys_feature_memory_killer, /* it is the first that a lack of memory ends */
    csys_feature_memory_limit,
    csys_feature_descriptor_limit,
    csys_feature_process_limit,
    csys_feature_file_limit,
    csys_feature_no_core,
    csys_feature_no_capabilities,
    csys_feature_bounding_set,
    csys_feature_no_new_privileges,
    csys_feature_file_rules,
    csys_feature_port_rules,
    csys_feature_signal_scope,
    csys_feature_socket_scope,
    csys_feature_system_calls,
    csys_feature_no_network,
    csys_feature_no_unix_sockets, /* but for pairs: a socket of another program is no file to Landlock */
    csys_feature_count
};

typedef struct csys_features {
    uint32_t asked;    /* a bit for each feature */
    uint32_t in_force; /* those among `asked` that are */
    int32_t errors[csys_feature_count]; /* the errno of each other one */
} csys_features;

/* Whether the manager of control groups has left a directory of theirs to the processes in it. */
bool csys_group_is_delegated(int32_t directory);

/* The name of a feature, such as "user namespace". */
const char *csys_feature_name(int32_t feature);

/* --- Children --------------------------------------------------------------------------------- */

typedef struct csys_command {
    const char *path;
    const char *directory;
    char *const *arguments;   /* ends with NULL */
    char *const *environment; /* ends with NULL */
    int32_t input;            /* standard input; -1: /dev/null */
    int32_t payload;          /* becomes descriptor 3; -1: none */
    int32_t output;
    int32_t errors;
    int32_t cgroup; /* as of a csys_child */
    csys_limits limits;
    csys_confinement confinement;
} csys_command;

typedef struct csys_child {
    /* Become the descriptors 64 to 68 of the child; -1: none. */
    int32_t library;
    int32_t manifest;
    int32_t down;
    int32_t up;
    int32_t socket;
    int32_t output;
    int32_t errors;
    int32_t cgroup; /* a directory of cgroup v2 to be started in; -1: the host's */
    const char *directory;
    char *const *environment; /* ends with NULL */
    /* NULL; builds for tests run this program in place of the plugin. */
    char *const *program;
    csys_limits limits;
    csys_confinement confinement;
} csys_child;

/* Ask a spawner to start a program or a plugin. On success `control` is a non-blocking socket: it
 * receives reports, and takes orders. Closing it kills the child. The descriptors stay the caller's.
 * Return 0 or an errno. */
int32_t csys_command_start(const csys_spawner *spawner, const csys_command *command, int32_t *control);
int32_t csys_child_start(const csys_spawner *spawner, const csys_child *child, int32_t *control);

enum { csys_order_terminate = 'T', csys_order_kill = 'K' };
void csys_child_order(int32_t control, int32_t order);

enum {
    csys_report_started = 1, /* value: the child's process id, 0 if unknown; with its features */
    csys_report_failed = 2,  /* value: an errno; it was not started */
    csys_report_ended = 3,   /* value: its exit status, or minus the signal's number */
    csys_report_lost = 4     /* the supervisor has ended without a report */
};
enum {
    csys_failure_fork = 1,
    csys_failure_directory = 2,
    csys_failure_execute = 3,
    csys_failure_descriptors = 4, /* the limit of open files is too low */
    csys_failure_namespace = 5,
    csys_failure_rules = 6 /* a rule of its confinement cannot be made */
};
/* The least limit of open files with which a child can be started. */
enum { csys_descriptors_least = 96 };

typedef struct csys_child_report {
    uint32_t kind;
    int32_t value;
    uint32_t failure;   /* of csys_report_failed */
    uint32_t survivors; /* processes that the supervisor has no right to kill */
    uint32_t has_core;  /* it has written its memory to a file */
    /* Of the child and of all that it started. */
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t memory_bytes; /* the most that one of its processes had */
    uint64_t read_bytes;   /* from storage */
    uint64_t written_bytes;
    csys_features features; /* of csys_report_started */
} csys_child_report;

/* Receives a report. Returns false when none has come. */
bool csys_child_report_next(int32_t control, csys_child_report *report);

/* --- In the child ----------------------------------------------------------------------------- */

enum {
    csys_child_library = 64,
    csys_child_manifest = 65,
    csys_child_down = 66,
    csys_child_up = 67,
    csys_child_socket = 68
};

/* Descriptors of the child, -1 where there is none, and what is in force in it. */
typedef struct csys_child_start_info {
    int32_t library;
    int32_t manifest;
    int32_t down;
    int32_t up;
    int32_t socket;
    int32_t reserved;
    csys_features features;
} csys_child_start_info;

#endif /* CSYSTEM_CHILDREN_H */
