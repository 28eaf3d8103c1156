/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/plugin.h: write a plugin.
 *
 * A plugin is a directory with a manifest.json and a shared object that exports one function,
 * curfew_plugin_entry, and imports nothing of Curfew's: it calls the host through a table. The host
 * loads a copy of the shared object: libraries beside it are not found, and dladdr(3) returns the
 * path it was copied from.
 *
 * A plugin shares its process with the host, and perhaps with other plugins. When one of its functions
 * returns, what belongs to all is as it was: environment, working directory, umask, locale, ids,
 * limits, timers, actions of signals, descriptors 0 to 2 and the numbers of rand(); and of the thread
 * that called it the signal mask, floating-point control, priority, name, ids and locale. When its
 * retire function has returned, nothing of it runs or waits any more: it has no thread, process or
 * descriptor, no object with a name in the system, and no function that is called at a fork; and it
 * makes no call. Of the host's structs it writes the members that are for it, and never struct_size;
 * the table is read-only.
 *
 * The smallest plugin:
 *
 *     #include <curfew/plugin.h>
 *
 *     CURFEW_PLUGIN_NOTE();
 *
 *     static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
 *                              curfew_error *host_error) {
 *         return CURFEW_OK;
 *     }
 *
 *     CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
 *                                                            curfew_plugin_info *host_info,
 *                                                            curfew_error *host_error) {
 *         const curfew_handler handler = {.struct_size = sizeof handler,
 *                                         .identifier = "org.example.tidy",
 *                                         .run = run};
 *         return api->register_handler(api, &handler, host_error);
 *     }
 */
#ifndef CURFEW_PLUGIN_H
#define CURFEW_PLUGIN_H

#include "types.h"
#include "version.h"

CURFEW_BEGIN_DECLS

/* The host's table. Every call into the plugin receives the same pointer, which belongs to one
 * plugin in one host: keep state per table that two hosts must not share. */
typedef struct curfew_host_api curfew_host_api;

/*
 * Does the work of one task. The budget starts when it is entered.
 *
 * handler_data: as registered.
 * api:          the host's table. It stays valid for the life of the process; after the plugin is
 *               retired its functions return CURFEW_CLOSING or CURFEW_STALE.
 * task:         the id of this task.
 * host_error:   the host's; a function that fails writes its text to `message`.
 *
 * Returns CURFEW_OK (the task succeeded), CURFEW_PENDING (it goes on, and is completed by
 * api->complete, from any thread), or any other status (it failed; the done event carries the
 * message, or a text that names the status). After api->complete the status is ignored.
 *
 * The worker, and one of the handler's `maxConcurrency`, stay occupied until the function returns.
 */
typedef curfew_status (*curfew_run_function)(void *CURFEW_NULLABLE handler_data,
                                             const curfew_host_api *api, curfew_task task,
                                             curfew_error *host_error)
    CURFEW_TAG(worker, running);

/*
 * Tells a task to stop, for the reason given. Called at most once for a task, while its function
 * runs or while it is pending, concurrently with both; it may still be called when the function
 * returns. Then the task has its grace to answer: return, or call api->complete. Should be short
 * (interrupt, set a flag) and may complete the task itself. The id is valid until it returns.
 *
 * While 63 callbacks of a host have not returned, further ones wait until one returns, and the log
 * says so; budgets and graces are kept all the same.
 */
typedef void (*curfew_expired_function)(void *CURFEW_NULLABLE handler_data,
                                        const curfew_host_api *api, curfew_task task,
                                        curfew_reason reason) CURFEW_TAG(deadline, running);

/* Ends the use of the plugin by this host; the last call into it. The image stays mapped. Called
 * after every function of the plugin has returned, and every thread of the host has run its
 * destructors of thread-local data. It has a thread of its own, for which the host waits for
 * leave_ns of curfew_shutdown_options; a function that has not returned by then keeps that thread
 * and the host's memory for the life of the process. */
typedef void (*curfew_retire_function)(void *CURFEW_NULLABLE plugin_data)
    CURFEW_TAG(outside, retired);

/* A handler. The host copies the struct and the identifier. */
typedef struct curfew_handler {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */

    /* The identifier under which the manifest declares the handler. Required. */
    const char *CURFEW_NULLABLE identifier;

    /* Passed to both functions; the host never reads it. Optional. */
    void *CURFEW_NULLABLE handler_data;

    curfew_run_function CURFEW_NULLABLE run;         /* required */
    curfew_expired_function CURFEW_NULLABLE expired; /* optional: without it the grace still runs */
} curfew_handler;

/* A plugin's description of itself. The host fills in struct_size and abi and zeroes the rest; the
 * plugin may set the other members inside curfew_plugin_entry. */
typedef struct curfew_plugin_info {
    uint32_t struct_size;

    /* The ABI that the plugin was compiled with: CURFEW_ABI_VERSION, or left alone. */
    uint32_t abi;

    /* The plugin's id and version; NULL, or equal to the manifest's. Read right after the entry
     * function returns. */
    const char *CURFEW_NULLABLE id;
    const char *CURFEW_NULLABLE version;

    void *CURFEW_NULLABLE plugin_data; /* passed to retire */
    curfew_retire_function CURFEW_NULLABLE retire;
} curfew_plugin_info;

/* The description of a task, filled by api->task_info. */
typedef struct curfew_task_info {
    uint32_t struct_size; /* set by the caller */
    curfew_kind kind;     /* of its request, else of its handler */
    uint32_t attempt;     /* 1 for the first launch of a request, then 2, … */
    curfew_reason reason; /* CURFEW_REASON_NONE until it is told to stop */

    /* The host's, readable until the task's last reference is released. The payload is NULL when
     * payload_bytes is 0. */
    const char *identifier;
    const void *CURFEW_NULLABLE payload;
    uint64_t payload_bytes;

    uint64_t budget_ns; /* as given at launch, or by the manifest */
    uint64_t grace_ns;
} curfew_task_info;

/*
 * The host's functions for a plugin. Only grows at the end; a member beyond struct_size is missing.
 * Every function takes the table first. None blocks, none calls the plugin, and all may be called
 * while the task runs, is pending, or is long over. They take no curfew_error: the host logs each
 * contract violation with its text. In a child that a plugin forked they do nothing and return
 * CURFEW_CLOSING or CURFEW_STALE; such a child ends by _exit or exec. A child that shares the
 * memory of its parent (vfork, CLONE_VM) looks like it, and must not call them.
 */
struct curfew_host_api {
    uint32_t struct_size;
    uint32_t abi; /* the host's ABI number, which is the plugin's too */

    /*
     * Registers a handler under an identifier that the manifest declares. Copies `handler`. Returns
     * CURFEW_OK, CURFEW_DENIED (not in the manifest), CURFEW_EXISTS (registered before, or by
     * another plugin), CURFEW_INVALID, or CURFEW_WRONG_STATE outside curfew_plugin_entry.
     */
    curfew_status (*register_handler)(const curfew_host_api *api, const curfew_handler *handler,
                                      curfew_error *CURFEW_NULLABLE host_error)
        CURFEW_TAG(loading, registering);

    /* Fills *plugin_info, the plugin's. Returns CURFEW_OK, CURFEW_STALE or CURFEW_INVALID. */
    curfew_status (*task_info)(const curfew_host_api *api, curfew_task task,
                               curfew_task_info *plugin_info) CURFEW_TAG(any, running);

    /* Returns true once the task should stop, and for a stale id. Costs one load: call it in loops.
     * */
    bool (*is_expired)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, any);

    /* Returns the rest of the budget; 0 once the task should stop, and for a stale id. */
    uint64_t (*remaining_ns)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, any);

    /*
     * Reports progress: a fraction in 0…1, not less than the last one, and a text, of which at most
     * 1 KiB is copied. Raises `<event>_progress(double, text)`. Returns CURFEW_OK, CURFEW_INVALID (not a number in
     * 0…1), CURFEW_ALREADY (the task is over) or CURFEW_STALE.
     */
    curfew_status (*progress)(const curfew_host_api *api, curfew_task task, double fraction,
                              const char *CURFEW_NULLABLE text, uint64_t text_bytes)
        CURFEW_TAG(any, running);

    /*
     * Completes the task. The first completion counts. A second answer, also one after the function
     * has returned it, is a violation, unless the task was told to stop: then its function and its
     * callback, which do not know of each other, may both answer.
     *
     * status: CURFEW_OK for success, anything else but CURFEW_PENDING for failure.
     * error:  text for the done event of a failed task, of which at most 64 KiB are copied. NULL: a
     *         text that names the status.
     * result: bytes for the launcher, copied, at most the host's limit (1 MiB). NULL when
     *         result_bytes is 0.
     *
     * Returns CURFEW_OK (accepted), CURFEW_LATE (accepted within the grace: the outcome says why
     * the task had to stop), CURFEW_EXPIRED (the grace is over), CURFEW_ALREADY (completed before),
     * CURFEW_CLOSING (the host is destroyed), CURFEW_STALE or CURFEW_INVALID; and CURFEW_TOO_LARGE
     * (the result) or CURFEW_EXHAUSTED (no memory for it), which do not complete the task.
     *
     * Releases the reference that CURFEW_PENDING left. Of two racing completions one is accepted;
     * the other returns CURFEW_ALREADY, or CURFEW_STALE where the last reference was released
     * meanwhile.
     */
    curfew_status (*complete)(const curfew_host_api *api, curfew_task task, curfew_status status,
                              const char *CURFEW_NULLABLE error, uint64_t error_bytes,
                              const void *CURFEW_NULLABLE result, uint64_t result_bytes)
        CURFEW_TAG(any, any);

    /* Takes one more reference: the id stays valid, the payload readable, until it is released.
     * Returns CURFEW_OK, CURFEW_STALE, or CURFEW_EXHAUSTED (60 at a time). */
    curfew_status (*keep)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, running);

    /* Releases a reference. A pending task whose last one is released without completion ends with
     * CURFEW_OUTCOME_ABANDONED. Returns CURFEW_OK, CURFEW_STALE, or CURFEW_WRONG_STATE when the
     * only reference left is the running function's own. */
    curfew_status (*release)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, running);

    /*
     * Queues an event that the manifest declares for this task's handler, with exactly the declared
     * parameters, which are copied; of a text at most 64 KiB. Returns CURFEW_OK, CURFEW_DENIED (not
     * declared, or the host's own), CURFEW_INVALID (other parameters), CURFEW_BUSY (the queue has as
     * many events as it may, or 64 MiB of texts; the event is lost, counted, and announced to
     * subscribers), CURFEW_ALREADY (the task is over) or CURFEW_STALE.
     */
    curfew_status (*raise)(const curfew_host_api *api, curfew_task task, const char *event,
                           const curfew_value *CURFEW_NULLABLE values, uint32_t count)
        CURFEW_TAG(any, running);

    /* Writes a line to the host's log; `task` may be 0. Control characters are escaped; at most
     * 4 KiB are kept. */
    void (*log)(const curfew_host_api *api, curfew_task task, curfew_log_level level,
                const char *text, uint64_t text_bytes) CURFEW_TAG(any, any);

    /* Returns the extension with that id, "curfew.name/1", a static struct of its header in ext/;
     * or NULL where this host does not have it. */
    const void *CURFEW_NULLABLE (*extension)(const curfew_host_api *api, const char *id)
        CURFEW_TAG(any, any);
};

/*
 * The one function that a plugin exports. Registers the plugin's handlers, exactly those of the
 * manifest, and returns CURFEW_OK; or fails with another status and a message, and is not used.
 * Called once for each host that loads the plugin.
 *
 * host_info:  the host's; see curfew_plugin_info.
 * host_error: the host's; a failure writes its text to `message`.
 */
curfew_status curfew_plugin_entry(const curfew_host_api *api, curfew_plugin_info *host_info,
                                  curfew_error *host_error) CURFEW_TAG(loading, registering);

/* Stands before the definition of curfew_plugin_entry in a library built with hidden visibility. */
#if defined(__GNUC__)
#define CURFEW_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define CURFEW_PLUGIN_EXPORT
#endif

/*
 * Stands once, at file scope, in every C or C++ plugin: an ELF note with the ABI number, which the
 * host reads before it runs any of the library's code. Name "Curfew", type 1, two 32-bit words: the
 * ABI number, and 0.
 */
#define CURFEW_PLUGIN_NOTE()                                                                    \
    __attribute__((section(".note.curfew"), used, aligned(4))) static const struct {            \
        uint32_t name_bytes, description_bytes, type;                                           \
        char name[8];                                                                           \
        uint32_t abi, reserved;                                                                 \
    } curfew_plugin_note = {7, 8, 1, "Curfew", CURFEW_ABI_VERSION, 0}

/* A text that ends with NUL as the two arguments "pointer, length". Needs <string.h>. */
#define CURFEW_TEXT(text) (text), (uint64_t)strlen(text)

CURFEW_END_DECLS

#endif /* CURFEW_PLUGIN_H */
