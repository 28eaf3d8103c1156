/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctags.h: the text of the headers whose functions a plugin calls, as it was when this was compiled.
 * The tags of threads and states are read from it, so that they stand in one place.
 */
#ifndef CTAGS_H
#define CTAGS_H

#include <stdint.h>

/* Not NUL-terminated. */
const char *ctags_plugin_header(uint64_t *bytes);
const char *ctags_subs_header(uint64_t *bytes);

#endif /* CTAGS_H */
