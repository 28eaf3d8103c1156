/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "csystem_library_data.h"

#include <link.h>
#include <string.h>

typedef struct {
    const char *name;
    void *context;
    void (*each)(void *, uint64_t, uint64_t, uint64_t);
} search;

static int look(struct dl_phdr_info *info, size_t bytes, void *context) {
    (void)bytes;
    const search *wanted = context;
    if (info->dlpi_name == NULL || strcmp(info->dlpi_name, wanted->name) != 0) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) != 0)
            wanted->each(wanted->context, info->dlpi_addr + part->p_vaddr, part->p_memsz, info->dlpi_addr);
    }
    return 1;
}

void csys_each_writable_part(const char *name, void *context,
                             void (*each)(void *, uint64_t, uint64_t, uint64_t)) {
    search wanted = {name, context, each};
    dl_iterate_phdr(look, &wanted);
}
