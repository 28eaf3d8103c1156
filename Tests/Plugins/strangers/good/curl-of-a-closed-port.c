/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -lcurl
 *
 * Connects with libcurl to a port of the loopback where nobody listens, with a time limit and a
 * progress function that asks is_expired. That the connection is refused is its success.
 * libcurl is initialised once for the process.
 */
#include "stranger.h"

#include <pthread.h>
#include <curl/curl.h>

CURFEW_PLUGIN_NOTE();

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start_library(void) {
    curl_global_init(CURL_GLOBAL_ALL);
}

struct place {
    const curfew_host_api *host;
    curfew_task id;
};

static int look(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    const struct place *place = data;
    (void)a, (void)b, (void)c, (void)d;
    return place->host->is_expired(place->host, place->id);
}

static curfew_status work(const curfew_host_api *host, curfew_task id, curfew_error *err) {
    pthread_once(&once, start_library);
    CURL *curl = curl_easy_init();
    if (curl == NULL)
        return failed(err, "no handle of libcurl");
    struct place place = {host, id};
    curl_easy_setopt(curl, CURLOPT_URL, "http://127.0.0.1:1/");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, 500L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 1000L);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &place);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    if (code == CURLE_COULDNT_CONNECT)
        return CURFEW_OK;
    return failed(err, code == CURLE_OK ? "somebody listens" : curl_easy_strerror(code));
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(host, id, err);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
