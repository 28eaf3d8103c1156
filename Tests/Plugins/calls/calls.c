/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of every shape a manifest can describe; nothing of Curfew's in here. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* One of each type, each with a digit of its own, so that a value in a wrong place shows. */
EXPORT int64_t calls_integers(int8_t a, int16_t b, int32_t c, int64_t d, uint8_t e, uint16_t f,
                              uint32_t g, uint64_t h) {
    return a == -1 && b == -2 && c == -3 && d == -4 && e == 255 && f == 65535 &&
                   g == 4294967295u && h == 18446744073709551615u
               ? 7
               : 0;
}

EXPORT double calls_floats(float a, double b, int32_t c, float d) { return a + b * 10 + c * 100 + d; }

EXPORT bool calls_not(bool value) { return !value; }
EXPORT int8_t calls_int8(int8_t value) { return value; }
EXPORT int16_t calls_int16(int16_t value) { return value; }
EXPORT int32_t calls_int32(int32_t value) { return value; }
EXPORT int64_t calls_int64(int64_t value) { return value; }
EXPORT uint8_t calls_uint8(uint8_t value) { return value; }
EXPORT uint16_t calls_uint16(uint16_t value) { return value; }
EXPORT uint32_t calls_uint32(uint32_t value) { return value; }
EXPORT uint64_t calls_uint64(uint64_t value) { return value; }
EXPORT float calls_float(float value) { return value; }
EXPORT double calls_double(double value) { return value; }

/* "Done." for "good", the text itself for others, NULL for "". */
EXPORT const char *calls_done(const char *text) {
    if (text[0] == 0) return NULL;
    return strcmp(text, "good") == 0 ? "Done." : text;
}

/* A copy the caller frees with calls_free; how many are not freed yet is the caller's to ask. */
static int64_t copies;
EXPORT char *calls_copy(const char *text) {
    if (text == NULL) return NULL;
    copies++;
    char *copy = malloc(strlen(text) + 1);
    return copy == NULL ? NULL : strcpy(copy, text);
}
EXPORT void calls_free(void *memory) {
    if (memory != NULL) copies--;
    free(memory);
}
EXPORT int64_t calls_copies(void) { return copies; }
EXPORT int32_t calls_copy_out(const char *text, char **out) {
    *out = calls_copy(text);
    return *out == NULL ? 1 : 0;
}

/* Writes the same copy that it returns. */
EXPORT char *calls_same(const char *text, char **out) { return *out = calls_copy(text); }

/* Fails as calls of the system do. */
EXPORT int32_t calls_errno(int32_t code) {
    errno = code;
    return code == 0 ? 0 : -1;
}

/* Sums bytes, NULL is -1. */
EXPORT int64_t calls_sum(const uint8_t *bytes, uint32_t count) {
    if (bytes == NULL) return -1;
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += bytes[i];
    return sum;
}

EXPORT int32_t calls_outs(int32_t *a, double *b, bool *c, uint8_t *d, float *e) {
    *a += 1;
    *b *= 2;
    *c = !*c;
    *d += 1;
    *e += 0.5f;
    return 0;
}

/* Writes `count` letters, says how many, returns them too. */
EXPORT int64_t calls_fill(char *buffer, uint64_t capacity, int32_t count, uint64_t *written) {
    for (int32_t i = 0; i < count && (uint64_t)i < capacity; i++) buffer[i] = (char)('a' + i % 26);
    *written = (uint64_t)count;
    return count;
}

static int32_t touched;
EXPORT void calls_touch(void) { touched++; }
EXPORT int32_t calls_touched(void) { return touched; }

EXPORT const int32_t calls_data = 1;
