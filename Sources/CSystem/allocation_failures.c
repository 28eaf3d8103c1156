/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_allocation_failures.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "replaced_calls.h"

static _Atomic uint64_t calls_left = UINT64_MAX, period_of_failures, failures;

static bool fails_now(void) {
    uint64_t left = atomic_load(&calls_left);
    do {
        if (left == UINT64_MAX) return false;
        if (left > 0) continue;
        const uint64_t period = period_of_failures;
        if (!atomic_compare_exchange_strong(&calls_left, &left, period == 0 ? UINT64_MAX : period - 1))
            continue;
        failures++;
        errno = ENOMEM;
        return true;
    } while (!atomic_compare_exchange_weak(&calls_left, &left, left - 1));
    return false;
}

static void *short_malloc(size_t size) { return fails_now() ? NULL : malloc(size); }
static void *short_calloc(size_t count, size_t size) { return fails_now() ? NULL : calloc(count, size); }
static void *short_realloc(void *old, size_t size) { return fails_now() ? NULL : realloc(old, size); }
static void *short_reallocarray(void *old, size_t count, size_t size) {
    return fails_now() ? NULL : reallocarray(old, count, size);
}
static char *short_strdup(const char *text) { return fails_now() ? NULL : strdup(text); }
static char *short_strndup(const char *text, size_t size) {
    return fails_now() ? NULL : strndup(text, size);
}
static int short_posix_memalign(void **out, size_t alignment, size_t size) {
    return fails_now() ? ENOMEM : posix_memalign(out, alignment, size);
}
static void *short_aligned_alloc(size_t alignment, size_t size) {
    return fails_now() ? NULL : aligned_alloc(alignment, size);
}

/* What a library has for operator new; its C++ library may be nobody else's. */
static void (*cpp_new)(void), (*cpp_new_array)(void);
typedef void *allocate(size_t);

/* That throws for so many bytes. */
static size_t too_many(size_t size) { return fails_now() ? SIZE_MAX / 2 : size; }
static void *short_new_or_null(size_t size, const void *nothrow) {
    (void)nothrow;
    return fails_now() ? NULL : malloc(size);
}
static void *short_new(size_t size) { return ((allocate *)cpp_new)(too_many(size)); }
static void *short_new_array(size_t size) { return ((allocate *)cpp_new_array)(too_many(size)); }

static const struct replacement replacements[] = {
    {"malloc", (void (*)(void))short_malloc, NULL},
    {"calloc", (void (*)(void))short_calloc, NULL},
    {"realloc", (void (*)(void))short_realloc, NULL},
    {"reallocarray", (void (*)(void))short_reallocarray, NULL},
    {"strdup", (void (*)(void))short_strdup, NULL},
    {"strndup", (void (*)(void))short_strndup, NULL},
    {"posix_memalign", (void (*)(void))short_posix_memalign, NULL},
    {"aligned_alloc", (void (*)(void))short_aligned_alloc, NULL},
    {"_Znwm", (void (*)(void))short_new, &cpp_new},
    {"_Znam", (void (*)(void))short_new_array, &cpp_new_array},
    {"_ZnwmRKSt9nothrow_t", (void (*)(void))short_new_or_null, NULL},
    {"_ZnamRKSt9nothrow_t", (void (*)(void))short_new_or_null, NULL},
};

bool csys_can_fail_allocations(const void *code) {
    return replace_calls((struct replaced_in){.address = code}, replacements,
                         sizeof replacements / sizeof replacements[0]) > 0;
}

void csys_fail_allocations(uint64_t passed, uint64_t period) {
    atomic_store(&calls_left, UINT64_MAX);
    failures = 0;
    period_of_failures = period;
    atomic_store(&calls_left, passed);
}

uint64_t csys_failed_allocations(void) { return failures; }
