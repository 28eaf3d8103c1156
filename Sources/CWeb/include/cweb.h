/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cweb.h: the files of the web page, embedded when this is compiled.
 */
#ifndef CWEB_H
#define CWEB_H

#include <stdint.h>

typedef struct cweb_file {
    /* Without a directory: "index.html". */
    const char *name;
    /* For the header Content-Type. */
    const char *type;
    const uint8_t *bytes;
    uint64_t count;
} cweb_file;

/* Returns the files, by ascending names. */
const cweb_file *cweb_files(uint64_t *count);

#endif /* CWEB_H */
