/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -lcurl
 *
 * Reads a temporary file with libcurl, by a file URL. curl_global_init in the entry has its
 * curl_global_cleanup in retire, which libcurl counts; signals are switched off.
 */
#include "stranger.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>

CURFEW_PLUGIN_NOTE();

static size_t count_bytes(char *bytes, size_t size, size_t count, void *sum) {
    (void)bytes;
    *(size_t *)sum += size * count;
    return size * count;
}

static curfew_status fetch(const char *path, size_t *sum, curfew_error *error) {
    char url[600], text[CURL_ERROR_SIZE] = "";
    CURL *curl = curl_easy_init();
    if (curl == NULL) return failed(error, "no handle of libcurl");
    snprintf(url, sizeof url, "file://%s", path);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, count_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, sum);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    return code == CURLE_OK ? CURFEW_OK : failed(error, text[0] ? text : curl_easy_strerror(code));
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    char path[512];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/page-XXXXXX", directory ? directory : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) return failed(error, strerror(errno));
    bool written = write(fd, "<html/>", 7) == 7;
    close(fd);
    size_t sum = 0;
    curfew_status status = written ? fetch(path, &sum, error) : failed(error, "no room for a page");
    unlink(path);
    if (status == CURFEW_OK && sum != 7) return failed(error, "the page has another length");
    return status;
}

static void retire(void *data) {
    (void)data;
    curl_global_cleanup();
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    if (curl_global_init(CURL_GLOBAL_ALL) != CURLE_OK) return failed(error, "no libcurl");
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) curl_global_cleanup();
    else info->retire = retire;
    return status;
}
