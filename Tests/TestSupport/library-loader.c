/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads libraries, each in a child, and prints the wait status of each child, one a line.
 *
 * Standard input is a file: for each library eight bytes with its length, then the library. The lists
 * of constructors have been taken out of its dynamic entries by adding `hidden` to their tags, so that
 * none of its code runs: whatever ends a child has happened before. A child looks itself at what the
 * loader would have called, and leaves with 77 where that is not code of the library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { hidden = 0x61000000, not_code = 77, seconds = 20 };

static int is_code(const struct dl_phdr_info *image, ElfW(Addr) address) {
    for (int each = 0; each < image->dlpi_phnum; each++) {
        const ElfW(Phdr) *part = &image->dlpi_phdr[each];
        const ElfW(Addr) start = image->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0 && address >= start &&
            address - start < part->p_memsz)
            return 1;
    }
    return 0;
}

static int look(struct dl_phdr_info *image, size_t size, void *data) {
    (void)size;
    const struct link_map *map = data;
    if (image->dlpi_addr != map->l_addr || strcmp(image->dlpi_name, map->l_name) != 0) return 0;
    static const int lists[3][2] = {{DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ},
                                    {DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}};
    ElfW(Addr) last[2] = {0, 0}; /* Of several entries the loader takes the last. */
    for (int list = 0; list < 3; list++) {
        const ElfW(Addr) *place = NULL;
        size_t bytes = 0;
        for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
            const ElfW(Sxword) tag = entry->d_tag - hidden;
            if (tag == lists[list][0])
                place = (const ElfW(Addr) *)(image->dlpi_addr + entry->d_un.d_ptr);
            if (tag == lists[list][1]) bytes = entry->d_un.d_val;
            if (tag == DT_INIT || tag == DT_FINI)
                last[tag == DT_FINI] = image->dlpi_addr + entry->d_un.d_ptr;
        }
        for (size_t each = 0; place != NULL && each < bytes / sizeof *place; each++)
            if (!is_code(image, place[each])) _exit(not_code);
    }
    for (int each = 0; each < 2; each++)
        if (last[each] != 0 && !is_code(image, last[each])) _exit(not_code);
    return 1;
}

static void load(const char *name) {
    alarm(seconds);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    void *image = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (image == NULL) _exit(1);
    struct link_map *map;
    if (dlinfo(image, RTLD_DI_LINKMAP, &map) == 0) dl_iterate_phdr(look, map);
    /* A host asks the same of it afterwards. */
    Dl_info info;
    const void *symbol = dlsym(image, "curfew_plugin_entry");
    if (symbol != NULL) dladdr(symbol, &info);
    dlsym(image, "there is no such symbol");
    for (size_t bytes = 1; bytes < 1 << 18; bytes *= 2) free(malloc(bytes));
    _exit(0);
}

int main(void) {
    struct stat status;
    if (fstat(0, &status) != 0) return 2;
    const size_t size = (size_t)status.st_size;
    const char *input = mmap(NULL, size, PROT_READ, MAP_PRIVATE, 0, 0);
    if (input == MAP_FAILED) return 2;
    for (size_t place = 0; place + 8 <= size;) {
        uint64_t length;
        memcpy(&length, input + place, 8);
        const int file = memfd_create("library", 0);
        for (size_t done = 0; done < length;) {
            const ssize_t put = write(file, input + place + 8 + done, length - done);
            if (put <= 0) return 2;
            done += (size_t)put;
        }
        place += 8 + length;
        char name[64];
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) load(name);
        int ended = -1;
        if (child < 0 || waitpid(child, &ended, 0) != child) return 2;
        printf("%d\n", ended);
        close(file);
    }
    return 0;
}
