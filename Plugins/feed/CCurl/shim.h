/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FEED_CURL_H
#define FEED_CURL_H

#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call. The names in
 * parentheses are the functions, not the macros that look at constants. */
static inline CURLcode feed_curl_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode feed_curl_text(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode feed_curl_headers(CURL *handle, struct curl_slist *headers) {
    return (curl_easy_setopt)(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode feed_curl_errors(CURL *handle, char *buffer) {
    return (curl_easy_setopt)(handle, CURLOPT_ERRORBUFFER, buffer);
}

static inline CURLcode feed_curl_writer(CURL *handle, curl_write_callback writer, void *data) {
    (curl_easy_setopt)(handle, CURLOPT_WRITEDATA, data);
    return (curl_easy_setopt)(handle, CURLOPT_WRITEFUNCTION, writer);
}

static inline long feed_curl_status(CURL *handle) {
    long status = 0;
    (curl_easy_getinfo)(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static inline const char *feed_curl_address(CURL *handle) {
    char *address = NULL;
    (curl_easy_getinfo)(handle, CURLINFO_EFFECTIVE_URL, &address);
    return address;
}

static inline curl_off_t feed_curl_length(CURL *handle) {
    curl_off_t length = -1;
    (curl_easy_getinfo)(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return length;
}

#endif /* FEED_CURL_H */
