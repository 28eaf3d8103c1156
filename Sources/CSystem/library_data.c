/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "csystem_library_data.h"

#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* --- Threads -------------------------------------------------------------------------------------- */

enum { most_parts = 16, words_at_a_time = 512 };

typedef struct {
    const char *name;
    int count;
    struct {
        uint64_t start, end;
    } parts[most_parts];
} code;

static int look_for_code(struct dl_phdr_info *info, size_t bytes, void *context) {
    (void)bytes;
    code *found = context;
    if (info->dlpi_name == NULL || strcmp(info->dlpi_name, found->name) != 0) return 0;
    for (int i = 0; i < info->dlpi_phnum && found->count < most_parts; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
        const uint64_t start = info->dlpi_addr + part->p_vaddr;
        found->parts[found->count].start = start;
        found->parts[found->count++].end = start + part->p_memsz;
    }
    return 1;
}

static bool is_code(const code *library, uint64_t address) {
    for (int i = 0; i < library->count; i++)
        if (address >= library->parts[i].start && address < library->parts[i].end) return true;
    return false;
}

/* Where the mapping ends that has an address in it; 0 for none. */
static uint64_t end_of_mapping(uint64_t address) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL) return 0;
    uint64_t start, end, found = 0;
    char line[512];
    while (found == 0 && fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 && address >= start && address < end)
            found = end;
    fclose(maps);
    return found;
}

/* The stack pointer and the place in the code of a thread that sleeps in the kernel: proc(5). */
static bool read_registers(int32_t thread, uint64_t *stack, uint64_t *place) {
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%" PRId32 "/syscall", thread);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t count = read(file, line, sizeof line - 1);
    close(file);
    if (count <= 0) return false;
    line[count] = 0;
    /* The last two of the line. */
    char *last = strrchr(line, ' ');
    if (last == NULL) return false;
    *last = 0;
    const char *before = strrchr(line, ' ');
    return before != NULL && sscanf(before, "%" SCNx64, stack) == 1 && sscanf(last + 1, "%" SCNx64, place) == 1;
}

bool csys_thread_is_in_library(int32_t thread, const char *name) {
    code library = {.name = name};
    dl_iterate_phdr(look_for_code, &library);
    uint64_t stack, place;
    if (library.count == 0) return false;
    if (!read_registers(thread, &stack, &place) || is_code(&library, place)) return true;
    const uint64_t end = end_of_mapping(stack);
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) return true;
    bool is_in = false;
    uint64_t words[words_at_a_time];
    for (uint64_t at = stack & ~UINT64_C(7); at < end && !is_in; at += sizeof words) {
        const size_t wanted = end - at < sizeof words ? (size_t)(end - at) : sizeof words;
        const ssize_t count = pread(memory, words, wanted, (off_t)at);
        if (count <= 0) break;
        for (size_t i = 0; i < (size_t)count / sizeof *words && !is_in; i++)
            is_in = is_code(&library, words[i]);
    }
    close(memory);
    return is_in;
}
