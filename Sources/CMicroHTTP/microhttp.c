/* SPDX-License-Identifier: Apache-2.0 */
#include "cmicrohttp.h"

#include <dlfcn.h>
#include <microhttpd.h>

/* The functions that are used, with the types that the header declares. */
#define FUNCTIONS(use)                                                                                   \
    use(MHD_start_daemon) use(MHD_stop_daemon) use(MHD_get_daemon_info) use(MHD_get_timeout)             \
    use(MHD_run) use(MHD_add_connection) use(MHD_get_connection_info) use(MHD_get_connection_values_n)   \
    use(MHD_create_response_from_buffer) use(MHD_create_response_from_callback) use(MHD_add_response_header) use(MHD_queue_response)            \
    use(MHD_destroy_response) use(MHD_suspend_connection) use(MHD_resume_connection)

#define FIELD(name) __typeof__(&name) name;
static struct {
    FUNCTIONS(FIELD)
} library;

const char *chttp_open(void) {
    static void *handle;
    if (handle != NULL) return NULL;
    void *opened = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (opened == NULL) return dlerror();
#define LOOK_UP(name)                                                                                    \
    *(void **)&library.name = dlsym(opened, #name);                                                      \
    if (library.name == NULL) return dlerror();
    FUNCTIONS(LOOK_UP)
    handle = opened;
    return NULL;
}

static void *context_of(chttp_connection *connection) {
    const union MHD_ConnectionInfo *info =
        library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static void *begin(void *data, const char *target, struct MHD_Connection *connection) {
    const chttp_calls *calls = data;
    return calls->begin(context_of(connection), connection, target);
}

static enum MHD_Result step(void *data, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *bytes, size_t *count,
                            void **request) {
    (void)url;
    const chttp_calls *calls = data;
    size_t given = *count;
    *count = 0;
    return calls->step(*request, connection, method, version, (const uint8_t *)bytes, given) ? MHD_YES
                                                                                            : MHD_NO;
}

static void end(void *data, struct MHD_Connection *connection, void **request,
                enum MHD_RequestTerminationCode reason) {
    (void)connection, (void)reason;
    const chttp_calls *calls = data;
    if (*request != NULL) calls->end(*request);
    *request = NULL;
}

static void notify(void *data, struct MHD_Connection *connection, void **context,
                   enum MHD_ConnectionNotificationCode what) {
    const chttp_calls *calls = data;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        calls->disconnected(*context);
        return;
    }
    const union MHD_ConnectionInfo *info =
        library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = calls->connected(calls->data, connection, info->connect_fd);
}

/* The target is decoded by the caller, once. */
static size_t leave_escaped(void *data, struct MHD_Connection *connection, char *text) {
    (void)data, (void)connection;
    return text == NULL ? 0 : __builtin_strlen(text);
}

chttp_server *chttp_start(const chttp_calls *calls, uint32_t connections, size_t head_bytes) {
    void *data = (void *)(uintptr_t)calls;
    return library.MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL, step, data,
        MHD_OPTION_NOTIFY_CONNECTION, notify, data, MHD_OPTION_NOTIFY_COMPLETED, end, data,
        MHD_OPTION_URI_LOG_CALLBACK, begin, data, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, head_bytes,
        MHD_OPTION_END);
}

void chttp_stop(chttp_server *server) { library.MHD_stop_daemon(server); }

int32_t chttp_descriptor(chttp_server *server) {
    const union MHD_DaemonInfo *info = library.MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->listen_fd;
}

bool chttp_has_work(chttp_server *server) {
    MHD_UNSIGNED_LONG_LONG milliseconds;
    return library.MHD_get_timeout(server, &milliseconds) == MHD_YES && milliseconds == 0;
}

void chttp_run(chttp_server *server) { library.MHD_run(server); }

bool chttp_add(chttp_server *server, int32_t socket) {
    /* An address is asked for, and a Unix socket's client has none. */
    const struct sockaddr none = {.sa_family = AF_UNIX};
    return library.MHD_add_connection(server, socket, &none, sizeof none) == MHD_YES;
}

typedef struct {
    void *data;
    void (*each)(void *, const char *, size_t, const char *, size_t);
} visit;

static enum MHD_Result visit_header(void *data, enum MHD_ValueKind kind, const char *name,
                                    size_t name_bytes, const char *value, size_t value_bytes) {
    (void)kind;
    const visit *found = data;
    found->each(found->data, name, name_bytes, value == NULL ? "" : value, value_bytes);
    return MHD_YES;
}

void chttp_headers(chttp_connection *connection, void *data,
                   void (*each)(void *, const char *, size_t, const char *, size_t)) {
    visit found = {data, each};
    library.MHD_get_connection_values_n(connection, MHD_HEADER_KIND, visit_header, &found);
}

static bool queue(chttp_connection *connection, uint32_t status, const char *const *headers,
                  struct MHD_Response *response) {
    if (response == NULL) return false;
    for (; headers[0] != NULL; headers += 2)
        library.MHD_add_response_header(response, headers[0], headers[1]);
    enum MHD_Result result = library.MHD_queue_response(connection, status, response);
    library.MHD_destroy_response(response);
    return result == MHD_YES;
}

bool chttp_answer(chttp_connection *connection, uint32_t status, const uint8_t *body, size_t count,
                  const char *const *headers) {
    return queue(connection, status, headers,
                 library.MHD_create_response_from_buffer(count, (void *)(uintptr_t)body,
                                                         MHD_RESPMEM_MUST_COPY));
}

bool chttp_stream(chttp_connection *connection, uint32_t status, const char *const *headers, void *request,
                  ptrdiff_t (*read)(void *, uint64_t, char *, size_t)) {
    return queue(connection, status, headers,
                 library.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read, request, NULL));
}

void chttp_suspend(chttp_connection *connection) { library.MHD_suspend_connection(connection); }
void chttp_resume(chttp_connection *connection) { library.MHD_resume_connection(connection); }
