/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/plugin.h: what a plugin implements, and what it may call.
 *
 * A plugin is a directory with a manifest.json and a shared object that exports one function,
 * curfew_plugin_entry, and imports nothing of Curfew's: everything it calls is in the table it is
 * given. The host loads a copy of the shared object: other libraries beside it are not found, and
 * dladdr tells the path it was copied from. The smallest one:
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

/* The host's table. The same pointer is passed to every call back into the plugin and belongs to
 * one plugin in one host: state that must not be shared between two hosts is kept per table. */
typedef struct curfew_host_api curfew_host_api;

/*
 * Does the work of one task. The budget starts when it is entered.
 *
 * handler_data: what the handler was registered with.
 * api:          the host's table. It stays where it is for the life of the process; once the plugin
 *               is retired its functions answer CURFEW_CLOSING or CURFEW_STALE.
 * task:         the id of this task.
 * host_error:   the host's; a function that fails writes its text to `message`.
 *
 * Returns CURFEW_OK (the task succeeded), CURFEW_PENDING (it goes on and will be completed through
 * api->complete, from any thread), or any other status (it failed; the done event carries the
 * message, or a text that names the status where there is none). What it returns after it has called
 * api->complete is ignored.
 *
 * The worker, and the handler's place among `maxConcurrency`, stay taken until it has returned.
 */
typedef curfew_status (*curfew_run_function)(void *CURFEW_NULLABLE handler_data,
                                             const curfew_host_api *api, curfew_task task,
                                             curfew_error *host_error)
    CURFEW_TAG(worker, running);

/*
 * Tells a task to stop: its time is up, or one of the other reasons. Called once for a task, at
 * most, while its function runs or while it is pending, concurrently with both; it may still be
 * on its way when the function returns. After it the task has its grace to answer: return, or call
 * api->complete. Should be short (interrupt, set a flag) and may complete the task itself. The id
 * is valid until it returns.
 */
typedef void (*curfew_expired_function)(void *CURFEW_NULLABLE handler_data,
                                        const curfew_host_api *api, curfew_task task,
                                        curfew_reason reason) CURFEW_TAG(watcher, running);

/* Called when the plugin is no longer needed by this host; the last call into it. The image stays
 * mapped. Not called while a function of the plugin has not returned, nor while a thread of the host
 * still runs destructors of thread-local data. On a thread of its own, for which the host waits as
 * long as its embedder allows (by default 1 s); a function that has not returned by then keeps that
 * thread and the host's memory for the life of the process. */
typedef void (*curfew_retire_function)(void *CURFEW_NULLABLE plugin_data)
    CURFEW_TAG(outside, retired);

/* A handler, as it is registered. The host copies the struct and the identifier. */
typedef struct curfew_handler {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */

    /* The identifier under which the manifest declares the handler. Required. */
    const char *CURFEW_NULLABLE identifier;

    /* Passed to both functions, never looked at by the host. Stays the plugin's. Optional. */
    void *CURFEW_NULLABLE handler_data;

    curfew_run_function CURFEW_NULLABLE run;         /* required */
    curfew_expired_function CURFEW_NULLABLE expired; /* optional: without it the grace still runs */
} curfew_handler;

/* What a plugin says about itself. The host fills in struct_size and abi and zeroes the rest; the
 * plugin may set the other members inside curfew_plugin_entry. */
typedef struct curfew_plugin_info {
    uint32_t struct_size;

    /* The ABI the plugin was compiled with: set it to CURFEW_ABI_VERSION, or leave it. */
    uint32_t abi;

    /* The plugin's own id and version; NULL, or equal to the manifest's. Read before the entry
     * function returns to the loader. */
    const char *CURFEW_NULLABLE id;
    const char *CURFEW_NULLABLE version;

    void *CURFEW_NULLABLE plugin_data; /* passed to retire */
    curfew_retire_function CURFEW_NULLABLE retire;
} curfew_plugin_info;

/* What a task can know about itself; filled by api->task_info. */
typedef struct curfew_task_info {
    uint32_t struct_size; /* set by the caller */
    curfew_kind kind;     /* of its request, or of its handler where it is a launch of none */
    uint32_t attempt;     /* 1 for the first launch of a request, then 2, … */
    curfew_reason reason; /* why it was told to stop; CURFEW_REASON_NONE while it was not */

    /* Both stay the host's and are readable until the task's last reference goes. The payload is
     * NULL when payload_bytes is 0. */
    const char *identifier;
    const void *CURFEW_NULLABLE payload;
    uint64_t payload_bytes;

    uint64_t budget_ns; /* as given at launch, or by the manifest */
    uint64_t grace_ns;
} curfew_task_info;

/*
 * What the host does for a plugin. Only grows at the end; a member past struct_size is not there.
 * Every function takes the table itself first. None of them blocks, none calls back into the
 * plugin, and all of them may be called while the task runs, is pending, or is long over. In a child
 * that a plugin forked they do nothing and answer CURFEW_CLOSING or CURFEW_STALE; such a child ends by
 * _exit or exec. One that shares the memory of its parent (vfork, CLONE_VM) is not told from it, and
 * calls none of them.
 */
struct curfew_host_api {
    uint32_t struct_size;
    uint32_t abi; /* the host's ABI number; equal to the plugin's, or it would not be loaded */

    /*
     * Registers a handler under an identifier the manifest declares. Copies `handler`. Returns
     * CURFEW_OK, CURFEW_DENIED (not in the manifest), CURFEW_EXISTS (registered before, or another
     * plugin has it), CURFEW_INVALID, or CURFEW_WRONG_STATE outside curfew_plugin_entry.
     */
    curfew_status (*register_handler)(const curfew_host_api *api, const curfew_handler *handler,
                                      curfew_error *CURFEW_NULLABLE host_error)
        CURFEW_TAG(loading, registering);

    /* Fills `plugin_info`, the plugin's, up to its struct_size. Returns CURFEW_OK, CURFEW_STALE or
     * CURFEW_INVALID. */
    curfew_status (*task_info)(const curfew_host_api *api, curfew_task task,
                               curfew_task_info *plugin_info) CURFEW_TAG(any, running);

    /* Returns true once the task should stop, and for a stale id. One load: call it in any loop. */
    bool (*is_expired)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, any);

    /* Returns how much of the budget is left; 0 once the task should stop, and for a stale id. */
    uint64_t (*remaining_ns)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, any);

    /*
     * Reports progress: a fraction in 0…1 and a text (copied; at most 1 KiB is kept). Raises the
     * event `<event>_progress(double, text)`. Returns CURFEW_OK, CURFEW_INVALID (not a number in
     * 0…1), CURFEW_ALREADY (the task is over) or CURFEW_STALE.
     */
    curfew_status (*progress)(const curfew_host_api *api, curfew_task task, double fraction,
                              const char *CURFEW_NULLABLE text, uint64_t text_bytes)
        CURFEW_TAG(any, running);

    /*
     * Completes the task. The first completion decides; the verdict tells whether this was it.
     *
     * status: CURFEW_OK for success, anything else but CURFEW_PENDING for failure.
     * error:  text for the done event of a failed task; copied, at most 64 KiB are kept. NULL: a
     *         text that names the status.
     * result: bytes for the launcher; copied, at most the host's limit (1 MiB), or CURFEW_TOO_LARGE
     *         and the task is not completed. NULL when result_bytes is 0.
     *
     * Returns CURFEW_OK (accepted), CURFEW_LATE (accepted within the grace: the outcome says why
     * the task had to stop), CURFEW_EXPIRED (the grace is over), CURFEW_ALREADY (completed before),
     * CURFEW_CLOSING (the host is gone), CURFEW_STALE, CURFEW_INVALID, or CURFEW_EXHAUSTED (there
     * is no memory for the result; the task is not completed).
     *
     * Drops the reference that CURFEW_PENDING left. Of two racing completions one is accepted; the
     * other hears CURFEW_ALREADY, or CURFEW_STALE if the task's last reference went meanwhile.
     */
    curfew_status (*complete)(const curfew_host_api *api, curfew_task task, curfew_status status,
                              const char *CURFEW_NULLABLE error, uint64_t error_bytes,
                              const void *CURFEW_NULLABLE result, uint64_t result_bytes)
        CURFEW_TAG(any, any);

    /* Takes one more reference: the id stays good, the payload readable, until it is released.
     * Returns CURFEW_OK, CURFEW_STALE, or CURFEW_EXHAUSTED (60 at a time). */
    curfew_status (*keep)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, running);

    /* Drops a reference. The last one of a pending task that was never completed makes its outcome
     * CURFEW_OUTCOME_ABANDONED. Returns CURFEW_OK, CURFEW_STALE, or CURFEW_WRONG_STATE when the
     * only reference left is the running function's own. */
    curfew_status (*release)(const curfew_host_api *api, curfew_task task) CURFEW_TAG(any, running);

    /*
     * Queues an event the manifest declares for this task's handler, with exactly the declared
     * parameters; they are copied. Returns CURFEW_OK, CURFEW_DENIED (not declared, or the host's
     * own), CURFEW_INVALID (parameters that do not fit), CURFEW_BUSY (the event queue is full; the
     * loss is counted and announced to subscribers), CURFEW_ALREADY (the task is over) or
     * CURFEW_STALE.
     */
    curfew_status (*raise)(const curfew_host_api *api, curfew_task task, const char *event,
                           const curfew_value *CURFEW_NULLABLE values, uint32_t count)
        CURFEW_TAG(any, running);

    /* Writes a line to the host's log; `task` may be 0. Control characters are made visible; at
     * most 4 KiB are kept. */
    void (*log)(const curfew_host_api *api, curfew_task task, curfew_log_level level,
                const char *text, uint64_t text_bytes) CURFEW_TAG(any, any);

    /* Returns the extension of that id, "curfew.name/1", as the struct its header in ext/
     * describes, or NULL when this host does not have it. Static. */
    const void *CURFEW_NULLABLE (*extension)(const curfew_host_api *api, const char *id)
        CURFEW_TAG(any, any);
};

/*
 * The one function a plugin exports. Registers the plugin's handlers, exactly those of the
 * manifest, and returns CURFEW_OK; or says no with another status and a message, and is not used.
 * Called once for each host that loads the plugin.
 *
 * host_info:  the host's; see curfew_plugin_info.
 * host_error: the host's; the text of a refusal goes to `message`.
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
 * Stands once, at file scope, in every C or C++ plugin: an ELF note with the ABI number, by which
 * the host knows the library before it runs any of its code. Name "Curfew", type 1, two 32-bit
 * words: the ABI number, and 0.
 */
#define CURFEW_PLUGIN_NOTE()                                                                    \
    __attribute__((section(".note.curfew"), used, aligned(4))) static const struct {            \
        uint32_t name_bytes, description_bytes, type;                                           \
        char name[8];                                                                           \
        uint32_t abi, reserved;                                                                 \
    } curfew_plugin_note = {7, 8, 1, "Curfew", CURFEW_ABI_VERSION, 0}

/* A string literal or NUL-terminated text as the two arguments "pointer, length". Needs
 * <string.h>. */
#define CURFEW_TEXT(text) (text), (uint64_t)strlen(text)

CURFEW_END_DECLS

#endif /* CURFEW_PLUGIN_H */
