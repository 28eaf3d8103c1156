/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading plugins through Curfew's public C ABI, in a host with the default configuration.
 *
 *     curfew load | scan | first LIBRARY PLUGINS_DIRECTORY
 *     curfew processes LIBRARY PLUGINS_DIRECTORY HELPER
 *
 * load: curfew_host_load_plugin of each plugin's directory: the manifest is read and checked, the
 * owners and modes of directories and files are, the library is copied, checked and loaded from the
 * copy, its entry is called and its handler registered. Opening libcurfew and making the host come
 * before. scan: the same, and before it curfew_host_scan_plugins of the directory with all of them,
 * as a host has to that looks before it loads; every manifest is read twice. scan_us is what
 * scanning has of it. first: one plugin, in milliseconds, from the first line of main: libcurfew is
 * opened, a host made and the plugin loaded. open_ms, create_ms and load_ms are what each of these
 * has of it. processes: load of some plugins, each into a process of its own, in a row and after
 * rests in which a spare is made; curfew-child runs already.
 */
#include "../libcurfew.h"
#include "load.h"

enum { PROCESSES = 32 };

static struct libcurfew curfew;

static void create_host(const curfew_host_config *config) {
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status = curfew.host_create(config, &curfew.host, &error);
    if (status != CURFEW_OK) fail("no host: %s: %s", curfew.status_text(status), error.message);
}

static void scan(const char *plugins) {
    uint32_t found = 0;
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status = curfew.host_scan_plugins(curfew.host, plugins, &found, &error);
    if (status != CURFEW_OK || found != PLUGINS)
        fail("%u plugins found: %s: %s", found, curfew.status_text(status), error.message);
}

static void load(const char *plugins, int number) {
    char path[PATH_BYTES];
    directory_of(path, plugins, number);
    curfew_error error = {.struct_size = sizeof error};
    const curfew_status status = curfew.host_load_plugin(curfew.host, path, &error);
    if (status != CURFEW_OK)
        fail("%s not loaded: %s: %s", path, curfew.status_text(status), error.message);
}

/* Each is loaded, under an index of its own, and has its handler. */
static void check(int count) {
    if (curfew.host_get_plugin_count(curfew.host) != (uint32_t)count)
        fail("%u plugins, not %d", curfew.host_get_plugin_count(curfew.host), count);
    for (int i = 0; i < count; i++) {
        char identifier[64];
        snprintf(identifier, sizeof identifier, "org.example.load%03d", i);
        uint32_t index;
        curfew_handler_state handler = {.struct_size = sizeof handler};
        curfew_plugin_state plugin = {.struct_size = sizeof plugin};
        if (curfew.host_find_handler(curfew.host, identifier, &index, NULL) != CURFEW_OK ||
            curfew.host_get_handler(curfew.host, index, &handler, NULL) != CURFEW_OK ||
            strcmp(handler.identifier, identifier) != 0)
            fail("%s is not registered", identifier);
        if (curfew.host_get_plugin(curfew.host, (uint32_t)i, &plugin, NULL) != CURFEW_OK ||
            plugin.phase != CURFEW_PLUGIN_PHASE_READY || strcmp(plugin.id, handler.plugin) != 0)
            fail("the plugin of %s is not ready", identifier);
    }
}

static void load_all(const char *library, const char *plugins, bool scanning) {
    read_plugins(plugins, PLUGINS);
    curfew = look_up_libcurfew(library);
    create_host(NULL);
    const uint64_t started = now_ns();
    if (scanning) scan(plugins);
    const uint64_t scanned = now_ns();
    for (int i = 0; i < PLUGINS; i++) load(plugins, i);
    const uint64_t ended = now_ns();
    check(PLUGINS);
    print_us_per_plugin(started, ended);
    if (scanning) printf("scan_us %.2f\n", (double)(scanned - started) / 1000 / PLUGINS);
}

static void print_ms(const char *name, uint64_t started_ns, uint64_t ended_ns) {
    printf("%s %.3f\n", name, (double)(ended_ns - started_ns) / 1000000);
}

static void load_first(const char *library, const char *plugins, uint64_t started) {
    curfew = look_up_libcurfew(library);
    const uint64_t opened = now_ns();
    create_host(NULL);
    const uint64_t created = now_ns();
    load(plugins, 0);
    const uint64_t ended = now_ns();
    check(1);
    print_ms("ms_first", started, ended);
    print_ms("open_ms", started, opened);
    print_ms("create_ms", opened, created);
    print_ms("load_ms", created, ended);
}

static void load_processes(const char *library, const char *plugins, const char *helper) {
    read_plugins(plugins, PLUGINS);
    curfew = look_up_libcurfew(library);
    const curfew_host_config config = {
        .struct_size = sizeof config, .isolation = CURFEW_ISOLATION_PROCESS, .helper = helper};
    create_host(&config);
    load(plugins, 0);
    const uint64_t started = now_ns();
    for (int i = 1; i <= PROCESSES; i++) load(plugins, i);
    const uint64_t ended = now_ns();
    uint64_t rested = 0;
    for (int i = 1 + PROCESSES; i <= 2 * PROCESSES; i++) {
        usleep(30000);
        const uint64_t begun = now_ns();
        load(plugins, i);
        rested += now_ns() - begun;
    }
    check(1 + 2 * PROCESSES);
    printf("us_per_plugin %.2f\n", (double)(ended - started) / 1000 / PROCESSES);
    printf("us_after_rest %.2f\n", (double)rested / 1000 / PROCESSES);
}

int main(int argc, char **argv) {
    const uint64_t started = now_ns();
    if (argc == 5 && strcmp(argv[1], "processes") == 0) {
        load_processes(argv[2], argv[3], argv[4]);
        close_libcurfew(&curfew);
        return 0;
    }
    if (argc != 4) fail("usage: curfew load | scan | first | processes LIBRARY PLUGINS_DIRECTORY [HELPER]");
    const bool scanning = strcmp(argv[1], "scan") == 0;
    if (strcmp(argv[1], "first") == 0)
        load_first(argv[2], argv[3], started);
    else if (scanning || strcmp(argv[1], "load") == 0)
        load_all(argv[2], argv[3], scanning);
    else
        fail("the variant is load, scan or first, not %s", argv[1]);
    close_libcurfew(&curfew);
    return 0;
}
