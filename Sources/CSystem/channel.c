/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_channel.h"

#include "csystem_loading.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 /* since Linux 5.1 */
#endif

static int32_t make_file(const char *name, uint64_t bytes) {
    int32_t file = csys_memory_file(name, bytes);
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)bytes) == 0) return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

static uint8_t *map(int32_t file, uint64_t bytes, int protection) {
    void *address = mmap(NULL, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
    return address == MAP_FAILED ? NULL : address;
}

int32_t csys_channel_make(csys_channel *channel, uint64_t down_bytes, uint64_t up_bytes,
                          uint64_t shared_bytes) {
    memset(channel, 0, sizeof *channel);
    channel->down_bytes = down_bytes;
    channel->up_bytes = up_bytes;
    channel->down_file = make_file("curfew-down", down_bytes);
    channel->up_file = channel->down_file < 0 ? -1 : make_file("curfew-up", up_bytes);
    const int size_seals = F_SEAL_GROW | F_SEAL_SHRINK;
    bool is_made = channel->up_file >= 0 &&
                   (channel->down = map(channel->down_file, down_bytes, PROT_READ | PROT_WRITE)) != NULL &&
                   fcntl(channel->down_file, F_ADD_SEALS,
                         size_seals | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0 &&
                   fcntl(channel->up_file, F_ADD_SEALS, size_seals | F_SEAL_SEAL) == 0 &&
                   (channel->up = map(channel->up_file, up_bytes, PROT_READ)) != NULL &&
                   mprotect(channel->up, shared_bytes, PROT_READ | PROT_WRITE) == 0;
    if (is_made) {
        /* A fork of the host is no host, and a dump of it needs none of this. */
        madvise(channel->down, down_bytes, MADV_DONTDUMP);
        madvise(channel->up, up_bytes, MADV_DONTDUMP);
        return 0;
    }
    int32_t error = errno;
    csys_channel_unmap(channel);
    csys_channel_close_files(channel);
    return error;
}

int32_t csys_channel_open(csys_channel *channel, int32_t down_file, int32_t up_file) {
    struct stat down, up;
    memset(channel, 0, sizeof *channel);
    channel->down_file = down_file;
    channel->up_file = up_file;
    int32_t error = 0;
    if (fstat(down_file, &down) != 0 || fstat(up_file, &up) != 0) {
        error = errno;
    } else {
        channel->down_bytes = (uint64_t)down.st_size;
        channel->up_bytes = (uint64_t)up.st_size;
        channel->down = map(down_file, channel->down_bytes, PROT_READ);
        channel->up = channel->down == NULL ? NULL : map(up_file, channel->up_bytes, PROT_READ | PROT_WRITE);
        if (channel->up == NULL) error = errno;
    }
    if (error == 0) {
        madvise(channel->down, channel->down_bytes, MADV_DONTFORK);
        madvise(channel->up, channel->up_bytes, MADV_DONTFORK);
        madvise(channel->down, channel->down_bytes, MADV_DONTDUMP);
        madvise(channel->up, channel->up_bytes, MADV_DONTDUMP);
    }
    csys_channel_close_files(channel);
    return error;
}

void csys_channel_close_files(csys_channel *channel) {
    if (channel->down_file >= 0) close(channel->down_file);
    if (channel->up_file >= 0) close(channel->up_file);
    channel->down_file = channel->up_file = -1;
}

void csys_channel_unmap(csys_channel *channel) {
    if (channel->down != NULL) munmap(channel->down, channel->down_bytes);
    if (channel->up != NULL) munmap(channel->up, channel->up_bytes);
    channel->down = channel->up = NULL;
}

/* The part of `count` bytes that lies before the end of the ring. */
static uint64_t before_end(uint64_t size, uint64_t at, uint64_t count) {
    uint64_t rest = size - (at & (size - 1));
    return count < rest ? count : rest;
}

void csys_ring_copy(void *to, const uint8_t *ring, uint64_t size, uint64_t at, uint64_t count) {
    uint64_t first = before_end(size, at, count);
    memcpy(to, ring + (at & (size - 1)), first);
    memcpy((uint8_t *)to + first, ring, count - first);
    /* The compiler may not read the ring again in place of the copy. */
    __asm__ volatile("" : : "r"(to) : "memory");
}

void csys_ring_put(uint8_t *ring, uint64_t size, uint64_t at, const void *from, uint64_t count) {
    uint64_t first = before_end(size, at, count);
    memcpy(ring + (at & (size - 1)), from, first);
    memcpy(ring, (const uint8_t *)from + first, count - first);
}

void csys_shared_wait(const void *word, uint32_t expected, uint64_t until_ns) {
    struct timespec until = {(time_t)(until_ns / 1000000000U), (long)(until_ns % 1000000000U)};
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, until_ns == UINT64_MAX ? NULL : &until, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

void csys_shared_wake(const void *word, int32_t count) {
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

bool csys_shared_wait_either(const void *shared, uint32_t shared_value, const void *own,
                             uint32_t own_value, uint64_t until_ns) {
    /* struct futex_waitv, FUTEX_32 and the number of the call, which older headers lack. */
    enum { futex_32 = 2, futex_waitv_call = 449 };
    struct {
        uint64_t value, address;
        uint32_t flags, reserved;
    } words[] = {{shared_value, (uintptr_t)shared, futex_32, 0},
                 {own_value, (uintptr_t)own, futex_32 | FUTEX_PRIVATE_FLAG, 0}};
    struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    return syscall(futex_waitv_call, words, 2, 0, until_ns == UINT64_MAX ? NULL : &until,
                   CLOCK_MONOTONIC) >= 0 ||
           errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT;
}
