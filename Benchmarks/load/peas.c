/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpeas with its C loader: an engine reads the .plugin files of a directory, then each plugin is
 * loaded and registers a type for an extension. Making the engine is outside; no extension is made.
 *
 *     peas PLUGINS_DIRECTORY
 *
 * us_per_plugin is everything; scan_us is what reading the .plugin files has of it.
 */
#include <libpeas/peas.h>

#include "load.h"

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: peas PLUGINS_DIRECTORY");
    read_plugins(argv[1], PLUGINS);
    PeasEngine *engine = peas_engine_new();

    const uint64_t started = now_ns();
    peas_engine_add_search_path(engine, argv[1], NULL);
    const GList *plugins = peas_engine_get_plugin_list(engine);
    const uint64_t scanned = now_ns();
    for (const GList *plugin = plugins; plugin != NULL; plugin = plugin->next)
        if (!peas_engine_load_plugin(engine, plugin->data))
            fail("peas: %s is not loaded", peas_plugin_info_get_module_name(plugin->data));
    const uint64_t ended = now_ns();

    int count = 0;
    for (const GList *plugin = plugins; plugin != NULL; plugin = plugin->next, count++)
        if (!peas_plugin_info_is_loaded(plugin->data) ||
            !peas_engine_provides_extension(engine, plugin->data, PEAS_TYPE_ACTIVATABLE))
            fail("peas: %s has no extension", peas_plugin_info_get_module_name(plugin->data));
    if (count != PLUGINS) fail("peas: %d plugins, not %d", count, PLUGINS);
    print_us_per_plugin(started, ended);
    printf("scan_us %.2f\n", (double)(scanned - started) / 1000 / PLUGINS);
    return 0;
}
