/* SPDX-License-Identifier: Apache-2.0 */
#include "ctags.h"

/* #embed is of C23, and clang warns of it in what came before. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char plugin_header[] = {
#embed "../../include/curfew/plugin.h"
};
static const char subs_header[] = {
#embed "../../include/curfew/ext/subs.h"
};

const char *ctags_plugin_header(uint64_t *bytes) {
    *bytes = sizeof plugin_header;
    return plugin_header;
}

const char *ctags_subs_header(uint64_t *bytes) {
    *bytes = sizeof subs_header;
    return subs_header;
}
