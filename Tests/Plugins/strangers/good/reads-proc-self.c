/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Looks into /proc/self: the number of threads, the open descriptors and the mappings. It only
 * reads, and closes what it opened.
 */
#include "stranger.h"

#include <dirent.h>
#include <errno.h>

CURFEW_PLUGIN_NOTE();

static int count_of(const char *directory) {
    DIR *stream = opendir(directory);
    if (stream == NULL)
        return -1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static curfew_status work(const curfew_host_api *host, curfew_task id, curfew_error *err) {
    int descriptors = count_of("/proc/self/fd"), threads = count_of("/proc/self/task");
    FILE *maps = fopen("/proc/self/maps", "re");
    if (descriptors < 0 || threads < 1 || maps == NULL) {
        if (maps != NULL)
            fclose(maps);
        return failed(err, "/proc cannot be read");
    }
    char line[512], text[100];
    int mappings = 0;
    while (fgets(line, sizeof line, maps) != NULL)
        mappings += strchr(line, '\n') != NULL;
    fclose(maps);
    snprintf(text, sizeof text, "%d threads, %d descriptors, %d mappings", threads, descriptors,
             mappings);
    host->log(host, id, CURFEW_LOG_INFO, CURFEW_TEXT(text));
    return CURFEW_OK;
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(host, id, err);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
