/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/csystem_allocation_failures.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { slot_of_call = R_X86_64_JUMP_SLOT, slot_of_data = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { slot_of_call = R_AARCH64_JUMP_SLOT, slot_of_data = R_AARCH64_GLOB_DAT };
#else
enum { slot_of_call = -1, slot_of_data = -1 };
#endif

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
static void *(*cpp_new)(size_t), *(*cpp_new_array)(size_t);

/* That throws for so many bytes. */
static size_t too_many(size_t size) { return fails_now() ? SIZE_MAX / 2 : size; }
static void *short_new_or_null(size_t size, const void *nothrow) {
    (void)nothrow;
    return fails_now() ? NULL : malloc(size);
}
static void *short_new(size_t size) { return cpp_new(too_many(size)); }
static void *short_new_array(size_t size) { return cpp_new_array(too_many(size)); }

static const struct {
    const char *name;
    void (*function)(void);
} replacements[] = {
    {"malloc", (void (*)(void))short_malloc},
    {"calloc", (void (*)(void))short_calloc},
    {"realloc", (void (*)(void))short_realloc},
    {"reallocarray", (void (*)(void))short_reallocarray},
    {"strdup", (void (*)(void))short_strdup},
    {"strndup", (void (*)(void))short_strndup},
    {"posix_memalign", (void (*)(void))short_posix_memalign},
    {"aligned_alloc", (void (*)(void))short_aligned_alloc},
    {"_Znwm", (void (*)(void))short_new},
    {"_Znam", (void (*)(void))short_new_array},
    {"_ZnwmRKSt9nothrow_t", (void (*)(void))short_new_or_null},
    {"_ZnamRKSt9nothrow_t", (void (*)(void))short_new_or_null},
};

struct search {
    uintptr_t address;
    uint32_t count;
};

static void replace(uintptr_t slot, void (*function)(void), struct search *search) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = slot / page * page;
    /* It may be read-only by now (RELRO), and is left writable. */
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return;
    void (*before)(void);
    memcpy(&before, (const void *)slot, sizeof before);
    if (before != function) {
        if (function == (void (*)(void))short_new) cpp_new = (void *(*)(size_t))before;
        if (function == (void (*)(void))short_new_array) cpp_new_array = (void *(*)(size_t))before;
    }
    memcpy((void *)slot, &function, sizeof function);
    search->count++;
}

static void replace_all(uintptr_t base, const ElfW(Rela) *list, size_t bytes, const ElfW(Sym) *symbols,
                        const char *names, struct search *search) {
    for (size_t at = 0; at < bytes / sizeof *list; at++) {
        const int kind = (int)ELF64_R_TYPE(list[at].r_info);
        if (kind != slot_of_call && kind != slot_of_data) continue;
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(list[at].r_info)];
        /* Its own functions of such a name are none of the process'. */
        if (symbol->st_shndx != SHN_UNDEF) continue;
        for (size_t each = 0; each < sizeof replacements / sizeof replacements[0]; each++)
            if (strcmp(names + symbol->st_name, replacements[each].name) == 0)
                replace(base + list[at].r_offset, replacements[each].function, search);
    }
}

static int look(struct dl_phdr_info *library, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    const ElfW(Dyn) *dynamic = NULL;
    bool is_it = false;
    for (int at = 0; at < library->dlpi_phnum; at++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[at];
        const uintptr_t start = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)start;
        is_it = is_it || (part->p_type == PT_LOAD && search->address >= start &&
                          search->address < start + part->p_memsz);
    }
    if (!is_it) return 0;
    const ElfW(Rela) *calls = NULL, *data = NULL;
    size_t call_bytes = 0, data_bytes = 0;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    for (; dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++) {
        switch (dynamic->d_tag) {
        case DT_JMPREL: calls = (const ElfW(Rela) *)dynamic->d_un.d_ptr; break;
        case DT_PLTRELSZ: call_bytes = dynamic->d_un.d_val; break;
        case DT_RELA: data = (const ElfW(Rela) *)dynamic->d_un.d_ptr; break;
        case DT_RELASZ: data_bytes = dynamic->d_un.d_val; break;
        case DT_SYMTAB: symbols = (const ElfW(Sym) *)dynamic->d_un.d_ptr; break;
        case DT_STRTAB: names = (const char *)dynamic->d_un.d_ptr; break;
        default: break;
        }
    }
    if (symbols == NULL || names == NULL) return 1;
    if (calls != NULL) replace_all(library->dlpi_addr, calls, call_bytes, symbols, names, search);
    if (data != NULL) replace_all(library->dlpi_addr, data, data_bytes, symbols, names, search);
    return 1;
}

bool csys_can_fail_allocations(const void *code) {
    struct search search = {.address = (uintptr_t)code};
    dl_iterate_phdr(look, &search);
    return search.count > 0;
}

void csys_fail_allocations(uint64_t passed, uint64_t period) {
    atomic_store(&calls_left, UINT64_MAX);
    failures = 0;
    period_of_failures = period;
    atomic_store(&calls_left, passed);
}

uint64_t csys_failed_allocations(void) { return failures; }
