/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <errno.h>
#include <fcntl.h>

/* Above the descriptors of a child, which end at 68, and below the least limit. */
enum { first_free = csys_descriptors_least - 16 };

void close_if_open(int descriptor) {
    if (descriptor >= 0) close(descriptor);
}

int moved_up(const beginning *child, int descriptor) {
    if (descriptor < 0) return -1;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, first_free);
    if (moved >= 0) return moved;
    errno = EMFILE; /* EINVAL where the limit is below the number */
    fail(child, csys_failure_descriptors);
}
