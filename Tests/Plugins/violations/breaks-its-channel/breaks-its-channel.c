/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the memory that its process shares with the host, and overwrites or empties it for ever, unmaps
 * or protects it. */
#include "../violation.h"

#include <pthread.h>
#include <sys/mman.h>

typedef struct mapping {
    char *start;
    size_t size;
} mapping;

static int find(const char *name, mapping *found, int most) {
    FILE *file = fopen("/proc/self/maps", "re");
    if (file == NULL) return 0;
    char text[512];
    int count = 0;
    while (count < most && fgets(text, sizeof text, file) != NULL) {
        unsigned long from, to;
        if (strstr(text, name) == NULL || sscanf(text, "%lx-%lx", &from, &to) != 2) continue;
        found[count++] = (mapping){(char *)from, to - from};
    }
    fclose(file);
    return count;
}

static mapping found[8];
static int up;

static void *destroy(void *argument) {
    const bool overwrites = argument != NULL;
    for (;;)
        for (int i = 0; i < up; i++) {
            if (overwrites) memset(found[i].start, 0xFF, found[i].size);
            else madvise(found[i].start, found[i].size, MADV_REMOVE);
        }
    return NULL;
}

static void destroy_for_ever(bool overwrites) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, destroy, overwrites ? found : NULL) != 0) abort();
    pthread_join(thread, NULL);
}

RUN(run) {
    UNUSED, (void)host_error;
    up = find("curfew-up", found, 4);
    const int all = up + find("curfew-down", found + up, 4);
    note("mappings", up > 0 && all > up);
    note("begun", 0);
    wait_for("go");
    if (form_is("overwrites")) destroy_for_ever(true);
    if (form_is("empties")) destroy_for_ever(false);
    int64_t errors = 0;
    for (int i = 0; i < all; i++) {
        const mapping part = found[i];
        if (form_is("writes what it may read") && i >= up)
            errors += mprotect(part.start, part.size, PROT_READ | PROT_WRITE) != 0;
        if (form_is("unmaps")) errors += munmap(part.start, part.size) != 0;
        if (form_is("protects")) errors += mprotect(part.start, part.size, PROT_NONE) != 0;
    }
    if (form_is("writes what it may read")) note("refused", errors);
    return CURFEW_OK;
}

MISDEED("org.curfew.violation.breaks-its-channel", run, NULL)
