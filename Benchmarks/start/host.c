/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host in a C program, from the library's path to a host that is gone again: how long each step
 * takes the first time, in a process of its own.
 *
 *     host LIBRARY [PLUGIN_DIRECTORY IDENTIFIER]
 *
 * ms_open is dlopen and all dlsym, ms_create and ms_destroy are a host with the default
 * configuration. With a plugin, ms_load is loading it and finding its handler, and ms_task its
 * first task, from the launch until it is over.
 */
#include "../libcurfew.h"

static double ms_since(uint64_t *then) {
    const uint64_t now = now_ns();
    const double ms = (double)(now - *then) / 1e6;
    *then = now;
    return ms;
}

static void load(struct libcurfew *curfew, const char *directory, const char *identifier) {
    curfew_error error = {.struct_size = sizeof error};
    curfew_status status = curfew->host_load_plugin(curfew->host, directory, &error);
    if (status != CURFEW_OK) fail("%s: %s", directory, error.message);
    status = curfew->host_find_handler(curfew->host, identifier, &curfew->handler, NULL);
    if (status != CURFEW_OK) fail("%s: %s", identifier, curfew->status_text(status));
}

static void run_task(const struct libcurfew *curfew) {
    const curfew_launch_options keep = {.struct_size = sizeof keep, .keep = true};
    curfew_task_state state = {.struct_size = sizeof state};
    curfew_error error = {.struct_size = sizeof error};
    curfew_task task;
    if (curfew->host_launch_by_index(curfew->host, curfew->handler, &keep, &task, &error) !=
        CURFEW_OK)
        fail("not launched: %s", error.message);
    const curfew_status status =
        curfew->host_wait_task(curfew->host, task, 60000000000, &state, NULL);
    if (status != CURFEW_OK || state.outcome != CURFEW_OUTCOME_SUCCEEDED)
        fail("%s, outcome %d", curfew->status_text(status), state.outcome);
    curfew->host_release_task(curfew->host, task, NULL);
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 4) fail("usage: host LIBRARY [PLUGIN_DIRECTORY IDENTIFIER]");
    uint64_t then = now_ns();
    struct libcurfew curfew = look_up_libcurfew(argv[1]);
    const double open = ms_since(&then);
    curfew_error error = {.struct_size = sizeof error};
    if (curfew.host_create(NULL, &curfew.host, &error) != CURFEW_OK)
        fail("no host: %s", error.message);
    const double create = ms_since(&then);
    double loading = 0, task = 0;
    if (argc == 4) {
        load(&curfew, argv[2], argv[3]);
        loading = ms_since(&then);
        run_task(&curfew);
        task = ms_since(&then);
    }
    close_libcurfew(&curfew);
    const double destroy = ms_since(&then);
    printf("ms_open %.3f\nms_create %.3f\n", open, create);
    if (argc == 4) printf("ms_load %.3f\nms_task %.3f\n", loading, task);
    printf("ms_destroy %.3f\n", destroy);
    return 0;
}
