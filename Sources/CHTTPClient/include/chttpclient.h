/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chttpclient.h: libcurl without variadic functions, opened when it is first needed, so that programs that send nothing do
 * not load it.
 */
#ifndef CHTTPCLIENT_H
#define CHTTPCLIENT_H

#include <stddef.h>
#include <stdint.h>

/* Opens the library. Returns NULL, or why that failed; the text is valid until the next call. */
const char *ccurl_open(void);

/* Posts a body, and waits for the answer, which is thrown away. `headers` has lines such as "Name: value", and ends with
 * NULL. Certificates are checked, and no redirection is followed. Returns the status of HTTP, or -1, with the reason in
 * `reason`. */
int32_t ccurl_post(const char *url, const char *const *headers, const uint8_t *body, size_t count,
                   uint32_t timeout_ms, char *reason, size_t reason_bytes);

#endif
