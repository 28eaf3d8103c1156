/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurfew.h: libcurfew as an outsider meets it: opened by path, every function looked up by name
 * and typed by the public header. The programs link nothing of Curfew's.
 */
#ifndef CURFEW_BENCH_LIBCURFEW_H
#define CURFEW_BENCH_LIBCURFEW_H

#include <curfew/curfew.h>
#include <dlfcn.h>

#include "measure.h"

#define CURFEW_FUNCTIONS(X)  \
    X(status_text)           \
    X(host_create)           \
    X(host_destroy)          \
    X(host_scan_plugins)     \
    X(host_load_plugin)      \
    X(host_get_plugin_count) \
    X(host_get_plugin)       \
    X(host_find_handler)     \
    X(host_get_handler)      \
    X(host_pause_handler)    \
    X(host_resume_handler)   \
    X(host_get_counts)       \
    X(host_launch)           \
    X(host_launch_by_index)  \
    X(host_wait_task)        \
    X(host_get_task)         \
    X(host_read_task_result) \
    X(host_release_task)     \
    X(host_subscribe)        \
    X(host_observe)          \
    X(host_unsubscribe)      \
    X(host_expect_event)     \
    X(host_collect_event)    \
    X(host_raise_event)      \
    X(host_dispatch)         \
    X(host_submit)           \
    X(host_cancel_request)   \
    X(host_get_request)      \
    X(host_list_requests)    \
    X(host_explain_request)  \
    X(host_get_wall_ns)

/* The functions, and one host with one plugin in it. */
struct libcurfew {
#define CURFEW_MEMBER(name) __typeof__(&curfew_##name) name;
    CURFEW_FUNCTIONS(CURFEW_MEMBER)
#undef CURFEW_MEMBER
    curfew_host *host;
    uint32_t handler;
};

/* Opens the library at `path` and looks its functions up, without a host. Leaves the process where
 * that fails. */
static inline struct libcurfew look_up_libcurfew(const char *path) {
    struct libcurfew curfew = {.host = NULL};
    void *image = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (image == NULL) fail("%s", dlerror());
#define CURFEW_LOOK_UP(name)                                              \
    curfew.name = (__typeof__(curfew.name))dlsym(image, "curfew_" #name); \
    if (curfew.name == NULL) fail("%s: no function curfew_" #name, path);
    CURFEW_FUNCTIONS(CURFEW_LOOK_UP)
#undef CURFEW_LOOK_UP
    return curfew;
}

/* Makes a host with `config`, by default with the default one, loads the plugin in `directory` and
 * finds the handler `identifier`. Leaves the process where that fails. */
static inline void start_libcurfew(struct libcurfew *curfew, const char *directory,
                                   const char *identifier, const curfew_host_config *config) {
    curfew_error error = {.struct_size = sizeof error};
    curfew_status status = curfew->host_create(config, &curfew->host, &error);
    if (status != CURFEW_OK) fail("no host: %s: %s", curfew->status_text(status), error.message);
    status = curfew->host_load_plugin(curfew->host, directory, &error);
    if (status != CURFEW_OK)
        fail("%s not loaded: %s: %s", directory, curfew->status_text(status), error.message);
    status = curfew->host_find_handler(curfew->host, identifier, &curfew->handler, NULL);
    if (status != CURFEW_OK) fail("%s: %s", identifier, curfew->status_text(status));
}

/* Both in one. */
static inline struct libcurfew open_libcurfew(const char *path, const char *directory,
                                              const char *identifier,
                                              const curfew_host_config *config) {
    struct libcurfew curfew = look_up_libcurfew(path);
    start_libcurfew(&curfew, directory, identifier, config);
    return curfew;
}

static inline void close_libcurfew(struct libcurfew *curfew) {
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status = curfew->host_destroy(curfew->host, NULL, &error);
    if (status != CURFEW_OK)
        fail("host not destroyed: %s: %s", curfew->status_text(status), error.message);
}

#endif /* CURFEW_BENCH_LIBCURFEW_H */
