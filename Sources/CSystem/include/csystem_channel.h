/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_channel.h: the memory that a host shares with the process of a plugin.
 *
 * There are two files in memory. The host writes `down`, which the child can only read: it is sealed
 * against further writable mappings before the child gets it. The child writes `up`, of which the host
 * maps all for reading and only the first pages, where both sides exchange words, for writing. Both files
 * are sealed against a change of their size: a file that shrinks would raise SIGBUS in the host.
 */
#ifndef CSYSTEM_CHANNEL_H
#define CSYSTEM_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct csys_channel {
    int32_t down_file; /* -1 once it was closed */
    int32_t up_file;
    uint8_t *down;
    uint8_t *up;
    uint64_t down_bytes;
    uint64_t up_bytes;
} csys_channel;

/* Makes both files and maps them for a host. `shared_bytes` of `up` are writable; whole pages. Returns 0
 * or an errno. */
int32_t csys_channel_make(csys_channel *channel, uint64_t down_bytes, uint64_t up_bytes,
                          uint64_t shared_bytes);
/* Maps both files for a child and closes their descriptors. A fork of the child gets no mapping. Returns 0
 * or an errno. */
int32_t csys_channel_open(csys_channel *channel, int32_t down_file, int32_t up_file);
/* Closes the descriptors, when the child has them. */
void csys_channel_close_files(csys_channel *channel);
void csys_channel_unmap(csys_channel *channel);

/* Copies `count` bytes of a ring of `size` bytes (a power of two), from the position `at`, into private
 * memory. The source may change at any time; each byte is read once. */
void csys_ring_copy(void *to, const uint8_t *ring, uint64_t size, uint64_t at, uint64_t count);
/* Copies private bytes into a ring. */
void csys_ring_put(uint8_t *ring, uint64_t size, uint64_t at, const void *from, uint64_t count);

/* futex(2) on a word that processes share. Waits while *word == expected, until the CLOCK_MONOTONIC time
 * `until_ns` (UINT64_MAX: for ever). Spurious returns are possible. */
void csys_shared_wait(const void *word, uint32_t expected, uint64_t until_ns);
void csys_shared_wake(const void *word, int32_t count);
/* futex_waitv(2): waits while *shared == shared_value, a word that processes share, and *own == own_value, a
   private one, at most until the CLOCK_MONOTONIC time `until_ns` (UINT64_MAX: for ever); also returns without a
   reason. Returns false where the kernel cannot do that (before Linux
   5.16), or may not. */
bool csys_shared_wait_either(const void *shared, uint32_t shared_value, const void *own,
                             uint32_t own_value, uint64_t until_ns);

#endif /* CSYSTEM_CHANNEL_H */
