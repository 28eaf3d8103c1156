/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Makes a small tree of files, counts it with glob and nftw, and removes it name by name.
 */
#include "stranger.h"

#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <sys/stat.h>

CURFEW_PLUGIN_NOTE();

enum { FILES = 4 };

static __thread int counted;

static int count_one(const char *path, const struct stat *state, int type, struct FTW *place) {
    (void)path;
    (void)state;
    (void)place;
    counted += type == FTW_F;
    return 0;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    char directory[] = "/tmp/f-glob-ftw-XXXXXX";
    char path[64];
    if (mkdtemp(directory) == NULL) return failed(error, "no directory");
    curfew_status status = CURFEW_OK;
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%d.part", directory, i);
        const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0) status = failed(error, "no file");
        else close(fd);
    }
    do {
        glob_t found = {0};
        snprintf(path, sizeof path, "%s/*.part", directory);
        if (status == CURFEW_OK) {
            if (glob(path, GLOB_NOSORT, NULL, &found) != 0 || found.gl_pathc != FILES)
                status = failed(error, "glob did not find the files");
            globfree(&found);
        }
        counted = 0;
        if (status == CURFEW_OK &&
            (nftw(directory, count_one, 4, FTW_PHYS) != 0 || counted != FILES))
            status = failed(error, "nftw did not find the files");
        if (slow) pause_ms(5);
        if (slow && status == CURFEW_OK && api->is_expired(api, task))
            status = failed(error, "told to stop");
    } while (slow && status == CURFEW_OK);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%d.part", directory, i);
        unlink(path);
    }
    rmdir(directory);
    return status;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}
