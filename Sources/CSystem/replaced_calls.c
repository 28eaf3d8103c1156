/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "replaced_calls.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { slot_of_call = R_X86_64_JUMP_SLOT, slot_of_data = R_X86_64_GLOB_DAT, variable = R_X86_64_64 };
#elif defined(__aarch64__)
enum { slot_of_call = R_AARCH64_JUMP_SLOT, slot_of_data = R_AARCH64_GLOB_DAT, variable = R_AARCH64_ABS64 };
#else
enum { slot_of_call = -1, slot_of_data = -1, variable = -1 };
#endif

struct search {
    struct replaced_in where;
    const struct replacement *list;
    size_t count;
    uint32_t replaced;
};

static void replace(uintptr_t slot, bool is_variable, const struct replacement *by, struct search *search) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = slot / page * page;
    /* It may be read-only by now (RELRO), and is left writable. */
    if (mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return;
    void (*before)(void);
    memcpy(&before, (const void *)slot, sizeof before);
    /* A variable may have another value by now. */
    if (is_variable && (void *)before != dlsym(RTLD_DEFAULT, by->name)) return;
    if (before != by->function && by->before != NULL) *by->before = before;
    memcpy((void *)slot, &by->function, sizeof by->function);
    search->replaced++;
}

static void replace_all(uintptr_t base, const ElfW(Rela) *list, size_t bytes, const ElfW(Sym) *symbols,
                        const char *names, struct search *search) {
    for (size_t at = 0; at < bytes / sizeof *list; at++) {
        const int kind = (int)ELF64_R_TYPE(list[at].r_info);
        const bool is_variable = kind == variable && list[at].r_addend == 0;
        if (kind != slot_of_call && kind != slot_of_data && !is_variable) continue;
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(list[at].r_info)];
        if (symbol->st_shndx != SHN_UNDEF) continue;
        for (size_t each = 0; each < search->count; each++)
            if (strcmp(names + symbol->st_name, search->list[each].name) == 0)
                replace(base + list[at].r_offset, is_variable, &search->list[each], search);
    }
}

static bool is_wanted(const struct dl_phdr_info *library, const struct replaced_in *where) {
    if (where->is_wanted != NULL) return where->is_wanted(library);
    if (where->address == NULL) return true;
    const uintptr_t address = (uintptr_t)where->address;
    for (int at = 0; at < library->dlpi_phnum; at++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[at];
        const uintptr_t start = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && address >= start && address < start + part->p_memsz) return true;
    }
    return false;
}

static int look(struct dl_phdr_info *library, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    if (!is_wanted(library, &search->where)) return 0;
    const ElfW(Dyn) *dynamic = NULL;
    for (int at = 0; at < library->dlpi_phnum; at++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[at];
        if (part->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)(library->dlpi_addr + part->p_vaddr);
    }
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
    /* The addresses in the table of the vDSO are not relocated. It has no slots. */
    const bool is_relocated = (uintptr_t)symbols > library->dlpi_addr;
    if (symbols != NULL && names != NULL && is_relocated) {
        if (calls != NULL) replace_all(library->dlpi_addr, calls, call_bytes, symbols, names, search);
        if (data != NULL) replace_all(library->dlpi_addr, data, data_bytes, symbols, names, search);
    }
    return search->where.address != NULL;
}

uint32_t replace_calls(struct replaced_in where, const struct replacement *list, size_t count) {
    struct search search = {where, list, count, 0};
    dl_iterate_phdr(look, &search);
    return search.replaced;
}
