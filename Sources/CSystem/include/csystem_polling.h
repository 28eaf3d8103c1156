/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_polling.h: descriptors that one thread waits for, and what is read from them.
 */
#ifndef CSYSTEM_POLLING_H
#define CSYSTEM_POLLING_H

#include <stdbool.h>
#include <stdint.h>

/* Returns a descriptor of an anonymous file with this content, which cannot be changed; -1 with errno. */
int32_t csys_sealed_file(const void *bytes, uint64_t count);

/* epoll(7), level-triggered. */
int32_t csys_poller(void);
bool csys_poller_add(int32_t poller, int32_t descriptor);
void csys_poller_remove(int32_t poller, int32_t descriptor);
/* Waits until one of them is readable, at most so many milliseconds (-1: for ever); returns how many are,
 * at most `capacity`. */
int32_t csys_poller_wait(int32_t poller, int32_t *descriptors, int32_t capacity, int32_t limit_ms);

/* read(2) of a pipe that was made non-blocking: the number of bytes, 0 at its end, -1 while there are
 * none. */
int64_t csys_read_available(int32_t descriptor, void *bytes, uint64_t capacity);
void csys_make_nonblocking(int32_t descriptor);

#endif /* CSYSTEM_POLLING_H */
