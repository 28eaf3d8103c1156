/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Without MADV_WIPEONFORK (before Linux 4.14) every process has this mark, and children of
 * fork(2) are not told apart. */
static const uint64_t everyone = 1;
const uint64_t *csys_process_word = &everyone;
csys_child_board *csys_children;

enum { page_bytes = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* The page that csys_process_word shows, writable. */
static uint64_t *mark;

uint64_t csys_process_mark(void) {
    pthread_mutex_lock(&mutex);
    if (mark == NULL) {
        void *page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page != MAP_FAILED && madvise(page, page_bytes, MADV_WIPEONFORK) == 0) {
            mark = page;
        } else if (page != MAP_FAILED) {
            munmap(page, page_bytes);
        }
    }
    if (mark != NULL && *mark == 0) {
        *mark = csys_monotonic_ns() | 1;
        csys_process_word = mark;
        /* Each process has a board of its own: the parent's is not for this one's children. */
        void *board = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        csys_children = board == MAP_FAILED ? NULL : board;
    }
    uint64_t now = *csys_process_word;
    pthread_mutex_unlock(&mutex);
    return now;
}

_Static_assert(sizeof(csys_child_board) <= page_bytes, "the board fits into its page");

void csys_child_end(csys_child_note note, int32_t descriptor, int32_t status) {
    if (csys_children != NULL) {
        uint32_t place = __atomic_fetch_add(&csys_children->claimed, 1, __ATOMIC_SEQ_CST);
        csys_children->notes[place % csys_child_notes] = note;
        __atomic_fetch_add(&csys_children->count, 1, __ATOMIC_SEQ_CST);
    }
    csys_eventfd_signal(descriptor);
    _exit(status);
}

csys_child_note csys_child_note_at(uint32_t place) {
    return csys_children->notes[place % csys_child_notes];
}
