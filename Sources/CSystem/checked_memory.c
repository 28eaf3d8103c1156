/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_checked_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replaced_calls.h"

enum {
    tail_bytes = 32,
    tail_filler = 0xB7,
    most_kept = 1 << 16,
    most_kept_bytes = 64 << 20,
    largest_kept = 32 << 20,
    /* Larger ones grow where they are, as copying them each time would take long. */
    largest_moved = 1 << 20,
};

/* A block that a library has allocated. If it is freed by another function than these, its entry stays until its address
 * is allocated again. */
struct block {
    uint8_t *start; /* NULL: no block */
    size_t bytes;
    size_t size; /* of the C library's block, by which another one at this place is known */
    const void *allocated_by, *freed_by;
    bool is_freed;
};

static pthread_mutex_t only_one = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner;
static uint8_t filler;
/* By their addresses: a table of a power of two, at most half full. */
static struct block *table;
static size_t table_size, block_count;
/* The addresses of what is kept, or NULL; the oldest is at `first`. */
static uint8_t *kept[most_kept];
static size_t first, kept_count, kept_bytes;
static bool is_found;
static struct csys_memory_fault found;

/* --- The table ------------------------------------------------------------------------------------ */

static size_t place(const void *start) {
    return (size_t)(((uint64_t)(uintptr_t)start >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (table_size - 1);
}

static struct block *block_at(const void *start) {
    if (table == NULL) return NULL;
    size_t at = place(start);
    while (table[at].start != NULL && table[at].start != start) at = (at + 1) & (table_size - 1);
    return table[at].start == NULL ? NULL : &table[at];
}

static void put(const struct block *block) {
    size_t at = place(block->start);
    while (table[at].start != NULL && table[at].start != block->start) at = (at + 1) & (table_size - 1);
    if (table[at].start == NULL) block_count++;
    table[at] = *block;
}

/* Returns false without memory. */
static bool make_room(void) {
    if (2 * (block_count + 1) < table_size) return true;
    struct block *before = table;
    const size_t size = table_size;
    struct block *larger = calloc(size == 0 ? 1 << 12 : 2 * size, sizeof *larger);
    if (larger == NULL) return false;
    table = larger;
    table_size = size == 0 ? 1 << 12 : 2 * size;
    block_count = 0;
    for (size_t at = 0; at < size; at++)
        if (before[at].start != NULL) put(&before[at]);
    free(before);
    return true;
}

static void take_out(struct block *block) {
    block->start = NULL;
    block_count--;
    /* The entries after it are put in anew: some of them may belong to this place. */
    const size_t mask = table_size - 1;
    for (size_t at = ((size_t)(block - table) + 1) & mask; table[at].start != NULL; at = (at + 1) & mask) {
        const struct block other = table[at];
        table[at].start = NULL;
        block_count--;
        put(&other);
    }
}

/* --- Faults --------------------------------------------------------------------------------------- */

/* Writes the place of the instruction before a return address. A function that ends with a jump to free leaves the return
 * address of its own caller: one in the host is left out. */
static void describe(const void *returned_to, char *text) {
    Dl_info info, own;
    const char *call = (const char *)returned_to - 1;
    if (returned_to == NULL || dladdr(call, &info) == 0 || info.dli_fname == NULL) return;
    if (dladdr(&owner, &own) != 0 && own.dli_fbase == info.dli_fbase) return;
    const char *name = strrchr(info.dli_fname, '/');
    snprintf(text, csys_memory_place_bytes, "%s 0x%lx", name == NULL ? info.dli_fname : name + 1,
             (unsigned long)(call - (const char *)info.dli_fbase));
}

static void find(csys_memory_fault_kind kind, const struct block *block, size_t offset, const void *freed_again_by) {
    if (is_found) return;
    is_found = true;
    found = (struct csys_memory_fault){.kind = kind, .bytes = block->bytes, .offset = offset};
    describe(block->allocated_by, found.allocated);
    describe(block->freed_by, found.freed);
    describe(freed_again_by, found.again);
}

/* The first byte that is not `expected`; `size` for none. */
static size_t first_change(const uint8_t *bytes, size_t size, uint8_t expected) {
    if (size == 0 || (bytes[0] == expected && memcmp(bytes, bytes + 1, size - 1) == 0)) return size;
    size_t at = 0;
    while (bytes[at] == expected) at++;
    return at;
}

static void look(const struct block *block) {
    const size_t in_tail = first_change(block->start + block->bytes, tail_bytes, tail_filler);
    if (!block->is_freed) {
        if (in_tail < tail_bytes) find(csys_memory_ends, block, block->bytes + in_tail, NULL);
        return;
    }
    const size_t inside = first_change(block->start, block->bytes, filler);
    if (inside < block->bytes) find(csys_memory_is_freed, block, inside, NULL);
    else if (in_tail < tail_bytes) find(csys_memory_is_freed, block, block->bytes + in_tail, NULL);
}

/* --- Blocks --------------------------------------------------------------------------------------- */

static bool is_own_process(void) { return owner != 0 && getpid() == owner; }

/* The C library has the size before each block, with three bits of its own. It is compared and not used, because a
 * library may have written over it. */
static size_t size_of(const void *start) {
    size_t word;
    memcpy(&word, (const char *)start - sizeof word, sizeof word);
    return word & ~(size_t)7;
}

/* Whether it is the block that was allocated there, which others may have freed and allocated again. */
static bool is_current(const struct block *block) { return size_of(block->start) == block->size; }

/* Another function than these has freed a block that is kept. */
static void forget_kept(const struct block *block) {
    find(csys_memory_freed_again, block, 0, NULL);
    for (size_t at = 0; at < kept_count; at++) {
        uint8_t **start = &kept[(first + at) % most_kept];
        if (*start == block->start) *start = NULL;
    }
    kept_bytes -= block->bytes;
}

/* Takes in a block of the C library's with room for a tail. */
static void *begin(void *start, size_t bytes, const void *caller) {
    if (start == NULL) return NULL;
    const struct block block = {start, bytes, size_of(start), caller, NULL, false};
    pthread_mutex_lock(&only_one);
    struct block *before = block_at(start);
    if (before != NULL) {
        if (before->is_freed) forget_kept(before);
        *before = block;
    } else if (make_room()) {
        put(&block);
    }
    pthread_mutex_unlock(&only_one);
    memset(block.start + bytes, tail_filler, tail_bytes);
    return start;
}

static size_t with_tail(size_t bytes) { return bytes > SIZE_MAX - tail_bytes ? SIZE_MAX : bytes + tail_bytes; }

static void drop_oldest(void) {
    uint8_t *start = kept[first];
    first = (first + 1) % most_kept;
    kept_count--;
    if (start == NULL) return;
    struct block *block = block_at(start);
    look(block);
    kept_bytes -= block->bytes;
    take_out(block);
    free(start);
}

/* Returns whether it is kept, or was; else it is to be freed now. */
static bool end(void *start, const void *caller) {
    if (start == NULL || !is_own_process()) return false;
    bool is_done = false;
    pthread_mutex_lock(&only_one);
    struct block *block = block_at(start);
    if (block != NULL && block->is_freed) {
        find(csys_memory_freed_again, block, 0, caller);
        is_done = true;
    } else if (block != NULL && is_found) {
        /* The allocator would end the process where a neighbour was written over, before the fault is told. */
        is_done = true;
    } else if (block != NULL && !is_current(block)) {
        take_out(block);
    } else if (block != NULL) {
        block->freed_by = caller;
        look(block);
        if (block->bytes > largest_kept) {
            take_out(block);
        } else {
            block->is_freed = true;
            const size_t bytes = block->bytes;
            memset(start, filler, bytes + tail_bytes);
            memset((uint8_t *)start + bytes, tail_filler, tail_bytes);
            while (kept_count == most_kept || kept_bytes + bytes > most_kept_bytes) drop_oldest();
            kept[(first + kept_count++) % most_kept] = start;
            kept_bytes += bytes;
            is_done = true;
        }
    }
    pthread_mutex_unlock(&only_one);
    return is_done;
}

/* The bytes that were asked for; SIZE_MAX for what is no block of these. */
static size_t bytes_of(const void *start) {
    if (start == NULL || !is_own_process()) return SIZE_MAX;
    pthread_mutex_lock(&only_one);
    const struct block *block = block_at(start);
    const bool is_own = block != NULL && (block->is_freed || is_current(block));
    const size_t bytes = is_own ? block->bytes : SIZE_MAX;
    pthread_mutex_unlock(&only_one);
    return bytes;
}

/* --- What libraries call -------------------------------------------------------------------------- */

/* The allocator may end the process: then no function of these stands between the library and it. */
#define INSTEAD __attribute__((musttail)) return
#define CALLER __builtin_return_address(0)

static void *checked_malloc(size_t bytes) {
    if (!is_own_process()) INSTEAD malloc(bytes);
    return begin(malloc(with_tail(bytes)), bytes, CALLER);
}

static void *checked_calloc(size_t count, size_t size) {
    size_t bytes;
    if (!is_own_process() || __builtin_mul_overflow(count, size, &bytes)) INSTEAD calloc(count, size);
    return begin(calloc(1, with_tail(bytes)), bytes, CALLER);
}

/* Takes a block out that is not kept. */
static void forget(void *start, const void *caller) {
    pthread_mutex_lock(&only_one);
    struct block *block = block_at(start);
    if (block != NULL && !block->is_freed) {
        block->freed_by = caller;
        look(block);
        take_out(block);
    }
    pthread_mutex_unlock(&only_one);
}

static bool is_kept(const void *start) {
    pthread_mutex_lock(&only_one);
    const struct block *block = block_at(start);
    const bool result = block != NULL && block->is_freed;
    pthread_mutex_unlock(&only_one);
    return result;
}

static void *move(void *start, size_t before, size_t bytes, const void *caller) {
    if (bytes == 0) {
        end(start, caller);
        return NULL;
    }
    if (before > largest_moved && !is_kept(start)) {
        forget(start, caller);
        void *same = realloc(start, with_tail(bytes));
        if (same != NULL) return begin(same, bytes, caller);
        begin(start, before, caller);
        return NULL;
    }
    void *moved = begin(malloc(with_tail(bytes)), bytes, caller);
    if (moved == NULL) return NULL;
    memcpy(moved, start, before < bytes ? before : bytes);
    end(start, caller);
    return moved;
}

static void *checked_realloc(void *start, size_t bytes) {
    if (start == NULL && is_own_process()) return begin(malloc(with_tail(bytes)), bytes, CALLER);
    const size_t before = bytes_of(start);
    if (before == SIZE_MAX) INSTEAD realloc(start, bytes);
    return move(start, before, bytes, CALLER);
}

static void *checked_reallocarray(void *start, size_t count, size_t size) {
    size_t bytes;
    const bool is_too_large = __builtin_mul_overflow(count, size, &bytes);
    if (!is_too_large && start == NULL && is_own_process())
        return begin(malloc(with_tail(bytes)), bytes, CALLER);
    const size_t before = bytes_of(start);
    if (is_too_large || before == SIZE_MAX) INSTEAD reallocarray(start, count, size);
    return move(start, before, bytes, CALLER);
}

static void checked_free(void *start) {
    const int error = errno;
    const bool is_done = end(start, CALLER);
    errno = error;
    if (is_done) return;
    INSTEAD free(start);
}

static char *checked_strndup(const char *text, size_t most) {
    if (!is_own_process()) INSTEAD strndup(text, most);
    const size_t length = strnlen(text, most);
    char *copy = begin(malloc(with_tail(length + 1)), length + 1, CALLER);
    if (copy == NULL) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static char *checked_strdup(const char *text) {
    if (!is_own_process()) INSTEAD strdup(text);
    const size_t bytes = strlen(text) + 1;
    char *copy = begin(malloc(with_tail(bytes)), bytes, CALLER);
    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

static int checked_posix_memalign(void **out, size_t alignment, size_t bytes) {
    if (!is_own_process()) INSTEAD posix_memalign(out, alignment, bytes);
    void *start = NULL;
    const int error = posix_memalign(&start, alignment, with_tail(bytes));
    if (error == 0) *out = begin(start, bytes, CALLER);
    return error;
}

static void *checked_aligned_alloc(size_t alignment, size_t bytes) {
    if (!is_own_process()) INSTEAD aligned_alloc(alignment, bytes);
    return begin(aligned_alloc(alignment, with_tail(bytes)), bytes, CALLER);
}

static void *checked_memalign(size_t alignment, size_t bytes) {
    if (!is_own_process()) INSTEAD memalign(alignment, bytes);
    return begin(memalign(alignment, with_tail(bytes)), bytes, CALLER);
}

static size_t checked_usable_size(void *start) {
    const size_t bytes = bytes_of(start);
    if (bytes != SIZE_MAX) return bytes;
    INSTEAD malloc_usable_size(start);
}

/* The C library reallocates the line itself: it gets one of its own. */
static void give_line(char **line, const size_t *room, const void *caller) {
    if (line == NULL || *line == NULL || room == NULL) return;
    const size_t before = bytes_of(*line);
    if (before == SIZE_MAX) return;
    char *other = malloc(*room > before ? *room : before);
    if (other == NULL) return;
    memcpy(other, *line, before);
    end(*line, caller);
    *line = other;
}

static ssize_t checked_getdelim(char **line, size_t *room, int delimiter, FILE *file) {
    give_line(line, room, CALLER);
    INSTEAD getdelim(line, room, delimiter, file);
}

static ssize_t checked_getline(char **line, size_t *room, FILE *file) {
    give_line(line, room, CALLER);
    INSTEAD getline(line, room, file);
}

static const struct replacement functions[] = {
    {"malloc", (void (*)(void))checked_malloc, NULL},
    {"calloc", (void (*)(void))checked_calloc, NULL},
    {"realloc", (void (*)(void))checked_realloc, NULL},
    {"reallocarray", (void (*)(void))checked_reallocarray, NULL},
    {"free", (void (*)(void))checked_free, NULL},
    {"strdup", (void (*)(void))checked_strdup, NULL},
    {"strndup", (void (*)(void))checked_strndup, NULL},
    {"posix_memalign", (void (*)(void))checked_posix_memalign, NULL},
    {"aligned_alloc", (void (*)(void))checked_aligned_alloc, NULL},
    {"memalign", (void (*)(void))checked_memalign, NULL},
    {"malloc_usable_size", (void (*)(void))checked_usable_size, NULL},
    {"getdelim", (void (*)(void))checked_getdelim, NULL},
    {"__getdelim", (void (*)(void))checked_getdelim, NULL},
    {"getline", (void (*)(void))checked_getline, NULL},
};
enum { function_count = sizeof functions / sizeof functions[0] };

/* The function that a lookup by name returns in place of the C library's; NULL if the lookup finds neither. A library's
 * own function of such a name differs from that which the whole process has. */
static void *instead_of(void *handle, const char *name) {
    for (size_t at = 0; at < function_count && is_own_process(); at++) {
        if (strcmp(name, functions[at].name) != 0) continue;
        void *usual = dlsym(RTLD_DEFAULT, name);
        const bool is_usual = handle == RTLD_DEFAULT || handle == RTLD_NEXT || dlsym(handle, name) == usual;
        return is_usual && usual != NULL ? (void *)functions[at].function : NULL;
    }
    return NULL;
}

static void *checked_dlsym(void *handle, const char *name) {
    void *function = instead_of(handle, name);
    if (function != NULL) return function;
    /* Its result can depend on the library that calls it. */
    INSTEAD dlsym(handle, name);
}

static void *checked_dlvsym(void *handle, const char *name, const char *version) {
    void *function = instead_of(handle, name);
    if (function != NULL) return function;
    INSTEAD dlvsym(handle, name, version);
}

/* --- Beginning ------------------------------------------------------------------------------------ */

enum { most_libraries = 512 };
static uintptr_t set_aside[most_libraries];
static size_t set_aside_count;

static int note_library(struct dl_phdr_info *library, size_t size, void *context) {
    (void)size, (void)context;
    if (set_aside_count < most_libraries) set_aside[set_aside_count++] = (uintptr_t)library->dlpi_phdr;
    return 0;
}

void csys_set_memory_aside(void) {
    set_aside_count = 0;
    dl_iterate_phdr(note_library, NULL);
}

static bool is_checked(const struct dl_phdr_info *library) {
    const char *slash = library->dlpi_name == NULL ? NULL : strrchr(library->dlpi_name, '/');
    const char *name = slash == NULL ? "" : slash + 1;
    if (strncmp(name, "libstdc++.so", 12) == 0 || strncmp(name, "libc++", 6) == 0) return true;
    for (size_t at = 0; at < set_aside_count; at++)
        if (set_aside[at] == (uintptr_t)library->dlpi_phdr) return false;
    /* One that was loaded into a namespace of its own has another C library. */
    return strncmp(name, "libc.so", 7) != 0 && strncmp(name, "ld-", 3) != 0;
}

bool csys_check_memory(uint8_t freed_filler) {
    static const struct replacement lookups[] = {
        {"dlsym", (void (*)(void))checked_dlsym, NULL},
        {"dlvsym", (void (*)(void))checked_dlvsym, NULL},
    };
    const struct replaced_in where = {.is_wanted = is_checked};
    filler = freed_filler;
    owner = getpid();
    replace_calls(where, lookups, sizeof lookups / sizeof lookups[0]);
    return replace_calls(where, functions, function_count) > 0;
}

bool csys_find_memory_fault(struct csys_memory_fault *fault) {
    pthread_mutex_lock(&only_one);
    for (size_t at = 0; at < kept_count; at++) {
        const uint8_t *start = kept[(first + at) % most_kept];
        if (start != NULL) look(block_at(start));
    }
    if (is_found) *fault = found;
    const bool result = is_found;
    pthread_mutex_unlock(&only_one);
    return result;
}
