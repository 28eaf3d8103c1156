/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves its function by other ways than a return: by `exit`, with an exit handler that calls it again;
 * by longjmp into a frame that has gone; or by the end of its thread. */
#include "../violation.h"

#include <pthread.h>
#include <setjmp.h>

static jmp_buf gone;

static void at_exit(void) { exit(9); }

__attribute__((noinline)) static void remember(void) {
    volatile char frame[256];
    frame[0] = 0;
    if (setjmp(gone) != 0) abort();
    (void)frame[0];
}

RUN(run) {
    UNUSED, (void)host_error;
    note("begun", 0);
    wait_for("go");
    if (form_is("exit handler")) {
        atexit(at_exit);
        exit(3);
    }
    if (form_is("jump")) {
        remember();
        longjmp(gone, 1);
    }
    pthread_exit(NULL);
}

MISDEED("org.curfew.violation.leaves-its-function", run, NULL)
