/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that loading a plugin can cost: dlopen of its library and dlsym of its one function. No
 * manifest is read, nothing is checked, copied, called or registered.
 *
 *     limit PLUGINS_DIRECTORY
 */
#include <dlfcn.h>

#include "load.h"

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: limit PLUGINS_DIRECTORY");
    static void *entries[PLUGINS];
    read_plugins(argv[1], PLUGINS);

    const uint64_t started = now_ns();
    for (int i = 0; i < PLUGINS; i++) {
        char path[PATH_BYTES];
        library_of(path, argv[1], i);
        void *image = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (image == NULL) fail("%s", dlerror());
        entries[i] = dlsym(image, "curfew_plugin_entry");
        if (entries[i] == NULL) fail("%s", dlerror());
    }
    const uint64_t ended = now_ns();

    for (int i = 0; i < PLUGINS; i++)
        for (int j = 0; j < i; j++)
            if (entries[i] == entries[j]) fail("limit: %d and %d are one image", i, j);
    print_us_per_plugin(started, ended);
    return 0;
}
