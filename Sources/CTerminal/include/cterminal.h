/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cterminal.h: a full screen on a terminal, by ncurses, which is opened when it is first needed.
 *
 * All functions are called on one thread. A process beside this one restores the terminal if this one is killed.
 */
#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* How text is drawn; one of the colours, and the others besides it. */
enum {
    cterm_good = 1,
    cterm_warning = 2,
    cterm_bad = 3,
    cterm_bold = 1 << 8,
    cterm_faint = 1 << 9,
    cterm_reverse = 1 << 10,
};

/* Keys that are no characters, and what else ends a wait. */
enum {
    cterm_none = -1,
    cterm_stop = -2,
    cterm_gone = -3,
    cterm_up = 0x110000,
    cterm_down,
    cterm_page_up,
    cterm_page_down,
    cterm_home,
    cterm_end_key,
    cterm_enter,
    cterm_escape,
    cterm_resize,
};

/* Opens the library. Returns NULL, or why that failed; the text is valid until the next call. */
const char *cterm_open(void);

/* Takes standard input and output over. Returns NULL, or why it cannot. */
const char *cterm_start(bool has_colours);
/* Leaves the terminal as it was. */
void cterm_end(void);

void cterm_size(int32_t *rows, int32_t *columns);
/* Empties the screen that is shown next. */
void cterm_clear(void);
/* Draws UTF-8, without control characters, cut at the end of the line. */
void cterm_put(int32_t row, int32_t column, const char *text, uint32_t style);
/* Shows what was drawn: only what differs is written. */
void cterm_show(void);
/* Waits for a key, for a descriptor to be readable (cterm_stop), or for the time to pass (cterm_none). The terminal may be
 * gone (cterm_gone). */
int32_t cterm_key(int32_t stop, int32_t milliseconds);

#endif
