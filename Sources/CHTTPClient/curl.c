/* SPDX-License-Identifier: Apache-2.0 */
#define CURL_DISABLE_TYPECHECK
#include "chttpclient.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>

/* The header has macros of these names besides. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#define FUNCTIONS(use)                                                                                    \
    use(curl_global_init) use(curl_easy_init) use(curl_easy_setopt) use(curl_easy_getinfo)                \
    use(curl_easy_perform) use(curl_easy_cleanup) use(curl_easy_strerror) use(curl_slist_append)          \
    use(curl_slist_free_all)

#define FIELD(name) __typeof__(&name) name;
static struct {
    FUNCTIONS(FIELD)
} library;

const char *ccurl_open(void) {
    static void *handle;
    if (handle != NULL) return NULL;
    void *opened = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (opened == NULL) return dlerror();
#define LOOK_UP(name)                                                                                     \
    *(void **)&library.name = dlsym(opened, #name);                                                       \
    if (library.name == NULL) return dlerror();
    FUNCTIONS(LOOK_UP)
    if (library.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return "libcurl cannot be used";
    handle = opened;
    return NULL;
}

static size_t throw_away(char *bytes, size_t size, size_t count, void *data) {
    (void)bytes, (void)data;
    return size * count;
}

static int32_t fail(const char *text, char *reason, size_t reason_bytes) {
    snprintf(reason, reason_bytes, "%s", text);
    return -1;
}

int32_t ccurl_post(const char *url, const char *const *headers, const uint8_t *body, size_t count,
                   uint32_t timeout_ms, char *reason, size_t reason_bytes) {
    CURL *call = library.curl_easy_init();
    if (call == NULL) return fail("out of memory", reason, reason_bytes);
    struct curl_slist *lines = NULL;
    for (const char *const *line = headers; *line != NULL; line++) {
        struct curl_slist *longer = library.curl_slist_append(lines, *line);
        if (longer != NULL) lines = longer;
    }
    library.curl_easy_setopt(call, CURLOPT_URL, url);
    library.curl_easy_setopt(call, CURLOPT_PROTOCOLS_STR, "http,https");
    library.curl_easy_setopt(call, CURLOPT_FOLLOWLOCATION, 0L);
    library.curl_easy_setopt(call, CURLOPT_HTTPHEADER, lines);
    library.curl_easy_setopt(call, CURLOPT_POST, 1L);
    library.curl_easy_setopt(call, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    library.curl_easy_setopt(call, CURLOPT_POSTFIELDS, body);
    library.curl_easy_setopt(call, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    /* Other threads do as they like with signals. */
    library.curl_easy_setopt(call, CURLOPT_NOSIGNAL, 1L);
    library.curl_easy_setopt(call, CURLOPT_WRITEFUNCTION, throw_away);
    CURLcode code = library.curl_easy_perform(call);
    long status = -1;
    if (code == CURLE_OK) library.curl_easy_getinfo(call, CURLINFO_RESPONSE_CODE, &status);
    library.curl_easy_cleanup(call);
    library.curl_slist_free_all(lines);
    return code == CURLE_OK ? (int32_t)status : fail(library.curl_easy_strerror(code), reason, reason_bytes);
}
