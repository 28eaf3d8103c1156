/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew_child.h: the parts of curfew-child. One process, with one thread, is the spawner; its forks
 * are supervisors; their forks become the children: a program (program.c) or a plugin (plugin.c).
 */
#ifndef CURFEW_CHILD_H
#define CURFEW_CHILD_H

#include "csystem_children.h"
#include "csystem_spawner_protocol.h"

#include <errno.h>
#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/* The descriptors that a spawner is executed with. */
enum { spawner_socket = 3, spawner_host = 4 };

/* A request with its descriptors; -1 where there is none. */
typedef struct {
    csys_request request;
    int control;
    int text;
    int places[csys_place_count];
    int rules[csys_rules_max];
} order;

/* --- spawner.c: starts supervisors, and ends everything when the host or it ends --------------- */

void spawner_run(void) __attribute__((noreturn));

/* --- orders.c: orders on their way, from a host to the spawner and on ---------------------------- */

enum { received_nothing, received_order, received_end };
/* Receives an order; what is none is answered and closed. */
int receive_order(int socket, order *given);
/* Sends an order on. Returns whether it has gone. */
bool send_order(int socket, const order *given);
/* Closes the descriptors of an order but its control socket. */
void close_contents(const order *given);

/* --- supervisor.c: starts one child, reports on it, and kills what is left of it --------------- */

/* The descriptors and namespaces of a supervisor besides its order. */
typedef struct {
    int host;    /* a pidfd */
    int spawner; /* a pidfd */
    uid_t user;  /* before the user namespace */
    gid_t group;
    csys_features features; /* the namespaces, as they are */
    const struct sock_fprog *filter; /* or NULL, with its errno */
    int filter_error;
} surroundings;

/* Exit status of a supervisor that could not map its user, so that the next one is without. */
enum { supervisor_without_user = 3 };

void supervise(const order *given, surroundings *around) __attribute__((noreturn));
/* The same for an order like `expected` that comes later: by the one socket to the child, which sends a
 * byte when it waits for it, then by the other to the supervisor. */
void supervise_next(const order *expected, surroundings *around, int own, int of_child)
    __attribute__((noreturn));
/* Kills all children of this process and theirs, and waits for them. Returns how many processes live
 * on, because they have other rights. */
uint32_t kill_everything(void);
/* Kills the children of this process that are not among `kept`. Returns how many there are; `denied`
 * is the number of those that may not be killed. -1: they cannot be listed. */
int kill_children(const pid_t *kept, int kept_count, int *denied);
/* A descriptor that is readable when a child has ended or stopped. */
int children_watch(void);
void drain_watch(int watch);

/* The text of an order, in memory. */
typedef struct {
    char **arguments;
    char **environment;
    const char *path; /* or NULL */
    const char *directory;
} start_text;

/* A child until it runs foreign code. */
typedef struct {
    const order *given;
    const surroundings *around;
    start_text text;
    pid_t supervisor;
    int told; /* the pipe to the supervisor */
    csys_features features;
} beginning;

/* program.c, plugin.c */
void run_program(beginning *child) __attribute__((noreturn));
void run_plugin(beginning *child) __attribute__((noreturn));

/* --- notes.c ----------------------------------------------------------------------------------- */

/* A message of a child to its supervisor. The first one has the features of the confined child; each
 * later one has a failure. */
typedef struct {
    uint32_t failure; /* 0: these are the features */
    int32_t error;
    csys_features features;
} child_note;

void tell_features(const beginning *child);
/* Tells the host that a plugin is confined, without the way through the supervisor. */
void report_confined(const beginning *child, int control);
/* Tells the host that there is no child, and why. */
void report_failure(int control, uint32_t failure, int error);
/* Ends a child that cannot begin, for errno. */
void fail(const beginning *child, uint32_t failure) __attribute__((noreturn));

/* --- descriptors.c ----------------------------------------------------------------------------- */

void close_if_open(int descriptor);
/* Moves a descriptor out of the way of those that a child gets, or ends the child; -1 stays. */
int moved_up(const beginning *child, int descriptor);

/* --- sandbox.c: what a child gives up; each function notes what is in force, and why not ------- */

bool is_masked(const order *given, enum csys_feature feature);
/* Whether the child is kept from the host and from other processes of its user: a plugin is, and a program
 * whose manifest says what it needs, or whose host confines all. */
bool is_confined(const order *given);
/* Whether a manifest names the files and the network that it may use, or the host does. */
bool has_needs(const order *given);
/* Counts a feature as in force, or notes its errno. */
void note_feature(csys_features *features, enum csys_feature feature, int error);

void reset_signals(void);
/* Ends the child when its supervisor ends. */
void die_with_supervisor(beginning *child);
void set_limits(beginning *child, bool has_defaults);
/* Empties the bounding set of capabilities, which a fork inherits. Returns 0 or an errno. */
int drop_bounding_set(const order *given);
void drop_capabilities(beginning *child);
void be_first_without_memory(beginning *child);
void forbid_new_privileges(beginning *child);

/* --- landlock.c: files, ports, signals and abstract sockets ------------------------------------ */

/* The version of the kernel's Landlock, or minus an errno. */
int landlock_version(void);
/* Makes the rules of a child. Returns their descriptor, or -1 without any. */
int landlock_rules(beginning *child, bool scopes);
void landlock_enter(beginning *child, int rules);

/* --- seccomp.c: system calls that a child cannot make ------------------------------------------ */

enum {
    filter_calls = 1,      /* what no plugin needs */
    filter_processes = 2,  /* limits and priorities of other processes: without a pid namespace */
    filter_no_network = 4,
    filter_only_tcp = 8,   /* besides the ports of Landlock */
    filter_confined = 16,  /* Unix sockets and objects of System V, which no rule of files sees */
    filter_variants = 32
};
/* Returns the filters that an order needs, given the features of its supervisor. */
unsigned filter_for(const order *given, const csys_features *features);
/* Finds the filter for an order; each is made once in a process and what it forks. */
void choose_filter(const order *given, surroundings *around);
/* A bit for each combination that was made, or cannot be made. */
unsigned filters_tried(void);
void filter_enter(beginning *child);

/* ChildRuntime: runs the code of a start once, so that a later start is shorter. */
void curfew_child_prepare(void);

#endif /* CURFEW_CHILD_H */
