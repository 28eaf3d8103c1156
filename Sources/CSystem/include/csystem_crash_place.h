/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a library a process died, told before it does. */
#ifndef CSYSTEM_CRASH_PLACE_H
#define CSYSTEM_CRASH_PLACE_H

#include <stdint.h>

/*
 * Installs handlers for the signals of faults, where they have no other action. The first thread that
 * gets one writes a line to `descriptor`, `prefix` and the innermost frame in the library with that
 * file name, or in another one where there is none: "libtidy.so+0x11d9 (tidy_run+0x19)", and dies of it. If
 * that frame had called another library than C's, in which it came to this, a line with `inner_prefix` and the
 * innermost frame there is before it. The texts are copied; at most 200 bytes of each count.
 */
void csys_tell_crash_place(int32_t descriptor, const char *prefix, const char *inner_prefix,
                           const char *library);

#endif /* CSYSTEM_CRASH_PLACE_H */
