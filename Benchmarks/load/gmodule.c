/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GModule: g_module_open and g_module_symbol. No manifest is read, and nothing checked or called.
 *
 *     gmodule PLUGINS_DIRECTORY
 */
#include <gmodule.h>

#include "load.h"

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: gmodule PLUGINS_DIRECTORY");
    static gpointer entries[PLUGINS];
    read_plugins(argv[1], PLUGINS);

    const uint64_t started = now_ns();
    for (int i = 0; i < PLUGINS; i++) {
        char path[PATH_BYTES];
        library_of(path, argv[1], i);
        GModule *module = g_module_open(path, G_MODULE_BIND_LOCAL);
        if (module == NULL || !g_module_symbol(module, "curfew_plugin_entry", &entries[i]))
            fail("%s", g_module_error());
    }
    const uint64_t ended = now_ns();

    for (int i = 0; i < PLUGINS; i++)
        for (int j = 0; j < i; j++)
            if (entries[i] == entries[j]) fail("gmodule: %d and %d are one image", i, j);
    print_us_per_plugin(started, ended);
    return 0;
}
