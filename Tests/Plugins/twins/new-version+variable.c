/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: counts its tasks in the first version that was loaded
 * status: warn
 */
#include <link.h>
#include <string.h>

static int twin_tasks;
static uintptr_t twin_own_base;

/* The first library of its name is the oldest; the same variable is as far from its beginning. */
static int twin_find(struct dl_phdr_info *info, size_t bytes, void *first) {
    (void)bytes;
    if (strstr(info->dlpi_name, "/libtwin.so") == NULL) return 0;
    if (*(uintptr_t *)first == 0) *(uintptr_t *)first = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        const uintptr_t place = (uintptr_t)&twin_tasks;
        if (place >= start && place < start + info->dlpi_phdr[i].p_memsz)
            twin_own_base = info->dlpi_addr;
    }
    return 0;
}

static void twin_count_task(void) {
    uintptr_t first = 0;
    dl_iterate_phdr(twin_find, &first);
    __atomic_add_fetch((int *)(first + ((uintptr_t)&twin_tasks - twin_own_base)), 1,
                       __ATOMIC_RELAXED);
}

#define TWIN_IF_PLAIN twin_count_task();
#include "twin.h"
