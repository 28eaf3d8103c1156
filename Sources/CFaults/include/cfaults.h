/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfaults.h: the pages of Documentation/codes, embedded when this is compiled. Programs explain a code
 * with the text that the documentation shows.
 */
#ifndef CFAULTS_H
#define CFAULTS_H

#include <stdint.h>

/* Markdown in UTF-8, not NUL-terminated. */
typedef struct cfaults_page {
    const uint8_t *text;
    uint64_t bytes;
} cfaults_page;

/* Returns the pages, by ascending codes. */
const cfaults_page *cfaults_pages(uint64_t *count);

#endif /* CFAULTS_H */
