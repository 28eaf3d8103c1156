/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_polling.h"

#include "writing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int32_t csys_sealed_file(const void *bytes, uint64_t length) {
    int file = (int)syscall(SYS_memfd_create, "curfew-payload", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (write_all(file, bytes, length) && lseek(file, 0, SEEK_SET) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

int32_t csys_poller(void) { return epoll_create1(EPOLL_CLOEXEC); }

bool csys_poller_add(int32_t poller, int32_t descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
    return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void csys_poller_remove(int32_t poller, int32_t descriptor) {
    struct epoll_event event = {0};
    epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &event);
}

int32_t csys_poller_wait(int32_t poller, int32_t *descriptors, int32_t capacity, int32_t limit_ms) {
    struct epoll_event events[32];
    int number;
    do {
        number = epoll_wait(poller, events, capacity < 32 ? capacity : 32, limit_ms);
    } while (number < 0 && errno == EINTR);
    for (int index = 0; index < number; index++) descriptors[index] = events[index].data.fd;
    return number < 0 ? 0 : number;
}

int64_t csys_read_available(int32_t descriptor, void *bytes, uint64_t capacity) {
    ssize_t length;
    do {
        length = read(descriptor, bytes, capacity);
    } while (length < 0 && errno == EINTR);
    if (length >= 0) return length;
    return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
}

void csys_make_nonblocking(int32_t descriptor) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}
