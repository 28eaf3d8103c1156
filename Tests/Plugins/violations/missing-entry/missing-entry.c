/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the note of a plugin, but without an entry. */
#include "../violation.h"

CURFEW_PLUGIN_NOTE();
