/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "csystem_global_symbols.h"

#include "csystem.h"
#include "csystem_containment.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Libraries that all others see ------------------------------------------------------------ */

enum { most_libraries = 256, names_of_each = 8, symbols_of_each = 256 };

typedef struct {
    const char *path;
    uintptr_t base;
    const char *names[names_of_each];
    unsigned count;
} library;

typedef struct {
    library all[most_libraries];
    unsigned count;
} libraries;

static const void *at(const struct dl_phdr_info *info, ElfW(Addr) address) {
    /* The loader of glibc has made addresses of those of most libraries, but not of the vDSO's. */
    return (const void *)(address < info->dlpi_addr ? info->dlpi_addr + address : address);
}

static void find_names(const struct dl_phdr_info *info, const ElfW(Dyn) *dynamic, library *found) {
    const ElfW(Sym) *symbols = NULL;
    const char *texts = NULL;
    const uint32_t *hash = NULL;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_SYMTAB) symbols = at(info, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_STRTAB) texts = at(info, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_GNU_HASH) hash = at(info, dynamic->d_un.d_ptr);
    }
    if (symbols == NULL || texts == NULL || hash == NULL) return;
    /* Words, bloom filter, buckets, chains: where the first bucket with a symbol begins, symbols follow, up to
     * one with an odd hash at the end of the last chain. */
    const uint32_t bucket_count = hash[0], first = hash[1], bloom_words = hash[2];
    const uint32_t *buckets = hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof *hash);
    uint32_t last = 0;
    for (uint32_t i = 0; i < bucket_count; i++)
        if (buckets[i] > last) last = buckets[i];
    if (last < first) return;
    const uint32_t *chains = buckets + bucket_count;
    while ((chains[last - first] & 1) == 0) last++;
    const uint32_t step = (last - first) / symbols_of_each + 1;
    for (uint32_t i = first; i <= last && found->count < names_of_each; i += step) {
        const unsigned type = symbols[i].st_info & 15;
        if (symbols[i].st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_OBJECT))
            found->names[found->count++] = texts + symbols[i].st_name;
    }
}

static int collect(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    libraries *found = context;
    if (info->dlpi_name == NULL || info->dlpi_name[0] != '/') return 0;
    if (found->count == most_libraries) return 1;
    library *next = &found->all[found->count];
    *next = (library){.path = info->dlpi_name, .base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            find_names(info, (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), next);
    if (next->count > 0) found->count++;
    return 0;
}

void csys_each_global_library(void *context, void (*each)(void *, const char *)) {
    libraries *found = calloc(1, sizeof *found);
    if (found == NULL) return;
    dl_iterate_phdr(collect, found);
    for (unsigned i = 0; i < found->count; i++) {
        const library *one = &found->all[i];
        for (unsigned n = 0; n < one->count; n++) {
            /* Another library may be asked first for one name, and hardly for all. */
            const void *symbol = dlsym(RTLD_DEFAULT, one->names[n]);
            Dl_info place;
            if (symbol == NULL || dladdr(symbol, &place) == 0 || (uintptr_t)place.dli_fbase != one->base)
                continue;
            each(context, one->path);
            break;
        }
    }
    dlerror();
    free(found);
}

/* --- What a library would miss ---------------------------------------------------------------- */

ptrdiff_t csys_trace_loading(const char *library, char *text, size_t room, uint64_t limit_ns) {
    /* As a library beside this program: of the program that it traces, the loader obeys DT_AUDIT, which names a
     * library whose code it runs. LD_PRELOAD takes blanks and colons for the ends of paths. */
    char preload[PATH_MAX + 16], program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    Dl_info loader;
    char paths[PATH_MAX + 32] = "LC_ALL=C";
    const char *given = getenv("LD_LIBRARY_PATH");
    if (length <= 0 || dladdr((const void *)getauxval(AT_BASE), &loader) == 0 ||
        strpbrk(library, " :$") != NULL ||
        snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library) >= (int)sizeof preload ||
        (given != NULL &&
         snprintf(paths, sizeof paths, "LD_LIBRARY_PATH=%s", given) >= (int)sizeof paths)) {
        errno = ENOENT;
        return -1;
    }
    program[length] = 0;
    char *arguments[] = {(char *)loader.dli_fname, program, NULL};
    char *environment[] = {"LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=yes", "LD_BIND_NOW=yes",
                           preload, paths, NULL};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDONLY);
        if (dup2(nowhere, 0) == 0 && dup2(ends[1], 1) == 1 && dup2(ends[1], 2) == 2)
            execve(arguments[0], arguments, environment);
        _exit(127);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return -1;
    }
    const uint64_t until = csys_monotonic_ns() + limit_ns;
    size_t count = 0;
    char rest[4096];
    for (;;) {
        const uint64_t now = csys_monotonic_ns();
        struct pollfd ready = {.fd = ends[0], .events = POLLIN};
        if (now >= until || poll(&ready, 1, (int)((until - now) / 1000000) + 1) == 0) break;
        ssize_t got = count < room ? read(ends[0], text + count, room - count)
                                   : read(ends[0], rest, sizeof rest);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (count < room) count += (size_t)got;
    }
    kill(child, SIGKILL);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    close(ends[0]);
    return (ptrdiff_t)count;
}
