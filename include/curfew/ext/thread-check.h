/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/ext/thread-check.h: extension "curfew.thread-check/1": the kind of the calling thread, for
 * assertions in plugins and for tools that check the CURFEW_TAG of a call.
 *
 *     const curfew_thread_check *check = api->extension(api, CURFEW_EXT_THREAD_CHECK);
 *     if (check != NULL) assert(check->current(api) == CURFEW_THREAD_WORKER);
 */
#ifndef CURFEW_EXT_THREAD_CHECK_H
#define CURFEW_EXT_THREAD_CHECK_H

#include "../plugin.h"

#define CURFEW_EXT_THREAD_CHECK "curfew.thread-check/1"

/* The kind of a thread. */
typedef int32_t curfew_thread;
enum {
    CURFEW_THREAD_OTHER = 0,   /* not one of this host's threads */
    CURFEW_THREAD_LOADING = 1, /* inside curfew_host_load_plugin */
    CURFEW_THREAD_WORKER = 2,
    CURFEW_THREAD_DEADLINE = 3,
    CURFEW_THREAD_LOOP = 4 /* delivering an event */
};

CURFEW_BEGIN_DECLS

/* The functions of the extension. */
typedef struct curfew_thread_check {
    uint32_t struct_size;

    /* Returns the kind of the calling thread in the host of `api`. */
    curfew_thread (*current)(const curfew_host_api *api) CURFEW_TAG(any, any);
} curfew_thread_check;

CURFEW_END_DECLS

#endif /* CURFEW_EXT_THREAD_CHECK_H */
