/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CURFEW_WRITING_H
#define CURFEW_WRITING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

static inline bool write_all(int descriptor, const void *bytes, uint64_t length) {
    for (uint64_t done = 0; done < length;) {
        ssize_t written = write(descriptor, (const char *)bytes + done, length - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        done += (uint64_t)written;
    }
    return true;
}

#endif /* CURFEW_WRITING_H */
