/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_freed_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replaced_calls.h"

enum { most_blocks = 1 << 15, most_bytes = 64 << 20, largest_block = 8 << 20 };

struct block {
    uint8_t *start;
    size_t bytes;
    uintptr_t freed_at;
};

static pthread_mutex_t only_one = PTHREAD_MUTEX_INITIALIZER;
/* The oldest is at `first`. */
static struct block kept[most_blocks];
static size_t first, count, kept_bytes;
/* How many of them have an address that hashes to each place. */
enum { places = 1 << 20 };
static uint16_t kept_at[places];
static uint8_t fill;
static pid_t owner;
/* The library's name, and where it is. */
static const char *library;
static uintptr_t library_start, library_end;
static bool is_found;
static struct csys_freed_use found;

/* --- Blocks --------------------------------------------------------------------------------------- */

static bool is_mapped(uintptr_t start, size_t bytes) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = start / page * page, to = (start + bytes + page - 1) / page * page;
    unsigned char pages[(largest_block + (2 << 16)) / 4096];
    return to > from && (to - from) / page <= sizeof pages && mincore((void *)from, to - from, pages) == 0;
}

/* The bytes that were asked for; SIZE_MAX for what is no sound block, or too large to be kept. The allocator's checks
 * put a byte that follows from the address after the block, and from the block's end each byte tells how far it is to
 * the one before, at most 255: malloc/malloc-check.c of the C library. */
static size_t size_of_block(const void *start) {
    const uintptr_t address = (uintptr_t)start, header = address - 2 * sizeof(size_t);
    if (address % (2 * sizeof(size_t)) != 0 || address < 4096 || !is_mapped(header, 2 * sizeof(size_t)))
        return SIZE_MAX;
    size_t word;
    memcpy(&word, (const char *)start - sizeof word, sizeof word);
    const size_t flags = 7, is_mapping = 2;
    const size_t chunk = word & ~flags;
    if (chunk < 4 * sizeof word || chunk > largest_block || !is_mapped(header, chunk + sizeof word)) return SIZE_MAX;
    uint8_t mark = (uint8_t)((header >> 3) ^ (header >> 11));
    if (mark == 1) mark = 2;
    /* The last word of a chunk that is no mapping of its own is in the next one. */
    size_t at = chunk - 2 * sizeof word + ((word & is_mapping) != 0 ? 0 : sizeof word) - 1;
    for (const uint8_t *bytes = start; bytes[at] != mark; at -= bytes[at])
        if (bytes[at] == 0 || at < bytes[at]) return SIZE_MAX;
    return at;
}

/* The first byte that is not as it was filled; the number of bytes for none. */
static size_t first_change(const uint8_t *bytes, size_t size) {
    if (size == 0 || (bytes[0] == fill && memcmp(bytes, bytes + 1, size - 1) == 0)) return size;
    size_t at = 0;
    while (bytes[at] == fill) at++;
    return at;
}

static void find(const struct block *block, bool is_freed_again, size_t offset) {
    if (is_found) return;
    is_found = true;
    found = (struct csys_freed_use){is_freed_again, block->bytes, offset, block->freed_at};
}

static void look(const struct block *block) {
    const size_t offset = first_change(block->start, block->bytes);
    if (offset < block->bytes) find(block, false, offset);
}

static uint16_t *place(const void *start) {
    return &kept_at[((uint64_t)(uintptr_t)start >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 44];
}

static void drop_oldest(void) {
    struct block *oldest = &kept[first];
    look(oldest);
    --*place(oldest->start);
    kept_bytes -= oldest->bytes;
    first = (first + 1) % most_blocks;
    count--;
    free(oldest->start);
}

/* --- What the library calls ----------------------------------------------------------------------- */

/* Newest first: what is freed twice mostly is so soon. */
static const struct block *find_kept(const void *start) {
    for (size_t back = 1; *place(start) > 0 && back <= count; back++) {
        const struct block *block = &kept[(first + count - back) % most_blocks];
        if (block->start == start) return block;
    }
    return NULL;
}

/* Returns false for what is to be freed now. */
static bool keep(void *start, const void *caller) {
    const size_t bytes = getpid() == owner ? size_of_block(start) : SIZE_MAX;
    if (bytes > largest_block) return false;
    const uintptr_t called = (uintptr_t)caller;
    const bool is_own = called >= library_start && called < library_end;
    pthread_mutex_lock(&only_one);
    const struct block *before = find_kept(start);
    if (before != NULL) {
        find(before, true, 0);
    } else {
        memset(start, fill, bytes);
        while (count == most_blocks || kept_bytes + bytes > most_bytes) drop_oldest();
        kept[(first + count++) % most_blocks] =
            (struct block){start, bytes, is_own ? called - library_start : 0};
        ++*place(start);
        kept_bytes += bytes;
    }
    pthread_mutex_unlock(&only_one);
    return true;
}

/* Returns false where the allocator is to do it. */
static bool move(void *start, size_t bytes, const void *caller, void **out) {
    const size_t before = start != NULL && getpid() == owner ? size_of_block(start) : SIZE_MAX;
    if (before > largest_block) return false;
    *out = bytes == 0 ? NULL : malloc(bytes);
    if (*out != NULL) memcpy(*out, start, before < bytes ? before : bytes);
    if (*out != NULL || bytes == 0) keep(start, caller);
    return true;
}

/* Where the allocator ends the process, none of these functions is on the stack between the library and it. */
#define INSTEAD __attribute__((musttail)) return

static void kept_free(void *start) {
    if (keep(start, __builtin_return_address(0))) return;
    INSTEAD free(start);
}

static void *kept_realloc(void *start, size_t bytes) {
    void *moved;
    if (move(start, bytes, __builtin_return_address(0), &moved)) return moved;
    INSTEAD realloc(start, bytes);
}

static void *kept_reallocarray(void *start, size_t number, size_t size) {
    void *moved;
    size_t bytes;
    const bool is_too_large = __builtin_mul_overflow(number, size, &bytes);
    if (!is_too_large && move(start, bytes, __builtin_return_address(0), &moved)) return moved;
    INSTEAD reallocarray(start, number, size);
}

/* operator delete: what comes after the address is its size or its alignment, or says that nothing is thrown. */
static void kept_delete(void *start) {
    if (keep(start, __builtin_return_address(0))) return;
    INSTEAD free(start);
}

/* Whether operator delete is the C++ library's own, which frees: a program may have one that does not. */
static bool is_of_cpp_library(const char *name) {
    void *function = dlsym(RTLD_DEFAULT, name);
    void *handle = function == NULL ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (handle != NULL) {
        function = dlsym(handle, name);
        dlclose(handle);
    }
    Dl_info info;
    if (function == NULL || dladdr(function, &info) == 0 || info.dli_fname == NULL) return false;
    return strstr(info.dli_fname, "/libstdc++.so") != NULL || strstr(info.dli_fname, "/libc++") != NULL;
}

static int find_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    if (info->dlpi_name == NULL || strcmp(info->dlpi_name, library) != 0) return 0;
    library_start = info->dlpi_addr;
    for (int at = 0; at < info->dlpi_phnum; at++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[at];
        const uintptr_t end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        if (part->p_type == PT_LOAD && end > library_end) library_end = end;
    }
    return 1;
}

bool csys_keep_freed(const char *name, uint8_t filler) {
    static const struct replacement freeing[] = {
        {"free", (void (*)(void))kept_free, NULL},
        {"realloc", (void (*)(void))kept_realloc, NULL},
        {"reallocarray", (void (*)(void))kept_reallocarray, NULL},
    };
    static const struct replacement deleting[] = {
        {"_ZdlPv", (void (*)(void))kept_delete, NULL},
        {"_ZdaPv", (void (*)(void))kept_delete, NULL},
        {"_ZdlPvm", (void (*)(void))kept_delete, NULL},
        {"_ZdaPvm", (void (*)(void))kept_delete, NULL},
        {"_ZdlPvRKSt9nothrow_t", (void (*)(void))kept_delete, NULL},
        {"_ZdaPvRKSt9nothrow_t", (void (*)(void))kept_delete, NULL},
        {"_ZdlPvSt11align_val_t", (void (*)(void))kept_delete, NULL},
        {"_ZdaPvSt11align_val_t", (void (*)(void))kept_delete, NULL},
        {"_ZdlPvmSt11align_val_t", (void (*)(void))kept_delete, NULL},
        {"_ZdaPvmSt11align_val_t", (void (*)(void))kept_delete, NULL},
    };
    if (owner != 0) return false;
    library = strdup(name);
    if (library == NULL) return false;
    owner = getpid();
    fill = filler;
    dl_iterate_phdr(find_library, NULL);
    const struct replaced_in where = {.name = library};
    uint32_t replaced = replace_calls(where, freeing, sizeof freeing / sizeof freeing[0]);
    for (size_t at = 0; at < sizeof deleting / sizeof deleting[0]; at++)
        if (is_of_cpp_library(deleting[at].name)) replaced += replace_calls(where, &deleting[at], 1);
    return replaced > 0;
}

bool csys_find_freed_use(struct csys_freed_use *use) {
    pthread_mutex_lock(&only_one);
    for (size_t at = 0; at < count; at++) look(&kept[(first + at) % most_blocks]);
    if (is_found) *use = found;
    const bool result = is_found;
    pthread_mutex_unlock(&only_one);
    return result;
}
