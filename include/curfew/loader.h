/* SPDX-License-Identifier: Apache-2.0 */
/* curfew/loader.h: find and load plugins, and list those that were found. */
#ifndef CURFEW_LOADER_H
#define CURFEW_LOADER_H

#include "types.h"

CURFEW_BEGIN_DECLS

/*
 * Reads the manifests of the plugins in `directory`, which has a subdirectory for each, without
 * loading code. Adds valid ones to the host's list as CURFEW_PLUGIN_PHASE_VALIDATED and invalid
 * ones as CURFEW_PLUGIN_PHASE_FAILED with a reason. *out_count is the number of both. Returns
 * CURFEW_OK, also where invalid ones were found, CURFEW_SYSTEM (the directory cannot be read),
 * CURFEW_CLOSING or CURFEW_WRONG_THREAD.
 */
curfew_status curfew_host_scan_plugins(curfew_host *host, const char *directory,
                                       uint32_t *CURFEW_NULLABLE out_count,
                                       curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(outside, open);

/*
 * Scans the standard directories, as curfew_host_scan_plugins does one. A host never scans them
 * without this call. They are those of the environment variable CURFEW_PLUGIN_PATH, separated by
 * colons, or else, in this order,
 *
 *     $XDG_DATA_HOME/curfew/plugins, by default ~/.local/share/curfew/plugins
 *     /usr/local/lib/curfew/plugins
 *     /usr/lib/curfew/plugins
 *
 * The environment is ignored in a process with raised privileges (AT_SECURE). A directory may be
 * missing, and one of CURFEW_PLUGIN_PATH may be that of a single plugin. Of two plugins with the
 * same id the first one counts; the other is listed as CURFEW_PLUGIN_PHASE_SHADOWED, with the first
 * one's directory as the reason. *out_count is the number of all, invalid and shadowed ones
 * included. Returns CURFEW_OK, CURFEW_CLOSING or CURFEW_WRONG_THREAD.
 */
curfew_status curfew_host_discover_plugins(curfew_host *host, uint32_t *CURFEW_NULLABLE out_count,
                                           curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(outside, open);

/*
 * Loads the plugin in `directory`. Checks manifest.json and the library's pins, ABI note and entry
 * before any of its code runs; then loads the library, calls its entry once, and compares the
 * registered handlers with the manifest: both must name the same ones. Handlers of form `subs` or
 * `call` need no entry: their functions are looked up in the library, or in a library of the system
 * that the configuration allows. For each handler raises `registering<event>_done(bool, text)`,
 * with false and the reason where the plugin is refused after its manifest was read.
 *
 * Directory, manifest and library, and every directory on the way to them, must belong to root or
 * to the effective user of the process, and must not be writable by others, but for sticky
 * directories on the way, such as /tmp. The two files must not be symbolic links. The library is
 * copied once, to memory that cannot be written to, and loaded from there: later changes of the
 * file have no effect. It is never unmapped. Hosts that load the same content from the same path
 * share one image. For tools that read code from files only, such as valgrind and perf, the
 * environment variable CURFEW_PLUGIN_COPIES names a private directory where the copies are made and
 * stay.
 *
 * A process loads one plugin at a time; the call waits while another host loads one. Changes that a
 * library makes meanwhile are restored, and counted and logged as contract violations: signal
 * actions; this thread's signal mask, alternate signal stack and floating-point control; the umask;
 * the working directory; and, where the process still may, the user and group ids and the root
 * directory. Closed descriptors of the host are logged as well. Other threads should not change
 * these during the call, since their changes look the same.
 *
 * Returns CURFEW_OK; CURFEW_REFUSED (manifest or library), CURFEW_ABI_MISMATCH, CURFEW_EXISTS (an
 * identifier, an event or the plugin's id is taken), CURFEW_DENIED (a handler is not permitted),
 * CURFEW_FAILED (the entry failed), CURFEW_SYSTEM, CURFEW_CLOSING, or CURFEW_WRONG_THREAD (also
 * inside the entry of a plugin that another host loads).
 */
curfew_status curfew_host_load_plugin(curfew_host *host, const char *directory,
                                      curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(outside, open);

/*
 * Loads the plugins in `directory`, which has a subdirectory for each or is that of a single plugin;
 * NULL: in the standard directories, as curfew_host_discover_plugins finds them. A plugin that cannot
 * be loaded does not keep others from being loaded: it is logged, and listed as
 * CURFEW_PLUGIN_PHASE_FAILED with the reason. Plugins that are shadowed, or loaded already, are left
 * alone. *out_loaded and *out_failed are the numbers of plugins that were loaded and that failed.
 *
 * Returns CURFEW_OK, also where plugins failed, CURFEW_SYSTEM (`directory` cannot be read),
 * CURFEW_CLOSING or CURFEW_WRONG_THREAD.
 */
curfew_status curfew_host_load_all(curfew_host *host, const char *CURFEW_NULLABLE directory,
                                   uint32_t *CURFEW_NULLABLE out_loaded,
                                   uint32_t *CURFEW_NULLABLE out_failed,
                                   curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(outside, open);

/* The phase of a plugin's life. */
typedef int32_t curfew_plugin_phase;
enum {
    CURFEW_PLUGIN_PHASE_VALIDATED = 1, /* its manifest is valid; not loaded */
    CURFEW_PLUGIN_PHASE_READY = 2,     /* loaded and registered */
    CURFEW_PLUGIN_PHASE_RETIRED = 3,   /* no longer used; the image stays mapped */
    CURFEW_PLUGIN_PHASE_FAILED = 4,    /* refused, for the reason given */
    CURFEW_PLUGIN_PHASE_SHADOWED = 5   /* its manifest is valid; one with the same id comes first */
};

/* The state of a plugin. The texts are the host's, valid until it is destroyed. */
typedef struct curfew_plugin_state {
    uint32_t struct_size; /* set by the caller */
    curfew_plugin_phase phase;
    const char *id;        /* "" when the manifest could not be read */
    const char *version;   /* "" when the manifest could not be read */
    const char *directory; /* as it was given */
    const char *reason;    /* why it failed, or the directory that shadows it; or "" */
    uint32_t handlers;     /* the number that it declares */
    curfew_isolation isolation; /* where its code runs; 0: it has not been loaded */
    int32_t process;      /* the id of the process in which its code runs now; else 0 */
    uint32_t starts;      /* of processes for it */
    const char *last_end; /* how the last process that has ended did so, as the rest of a sentence: "ended
                             by SIGSEGV at 0x0 in the function of org.example.tidy"; "": none has */
    const char *not_in_force; /* the parts of the sandbox that this machine cannot enforce, each with
                                 the reason: "mount namespace: it is not permitted here; …"; "" if
                                 all are in force, or no process runs */
} curfew_plugin_state;

/* A process of a plugin raises the event `curfew_child:::` of the host (text id of the plugin, text what,
 * text details) where it has a subscription:
 * - "started", with the parts of the sandbox that are in force, and those that are not with the reason;
 * - "ended", with how, as in `last_end`;
 * - "quarantined", with the reason: no other process is started until it is released;
 * - "released". */

/* Returns the number of plugins that were scanned or loaded. Indices never change. */
uint32_t curfew_host_get_plugin_count(curfew_host *host) CURFEW_TAG(any, any);

/* Fills *out_state for the plugin at `index`. Returns CURFEW_OK, CURFEW_NOT_FOUND or
 * CURFEW_INVALID. */
curfew_status curfew_host_get_plugin(curfew_host *host, uint32_t index,
                                     curfew_plugin_state *out_state,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_LOADER_H */
