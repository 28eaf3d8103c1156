/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Reads and prints numbers in the C locale whatever the locale of the thread is, and puts that
 * back.
 */
#include "stranger.h"

#include <locale.h>

CURFEW_PLUGIN_NOTE();

struct state {
    locale_t c;
};

static bool state_open(struct state *state) {
    state->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return state->c != (locale_t)0;
}

static void state_close(struct state *state) { freelocale(state->c); }

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct state *state = data;
    char text[64];
    double sum = 0;
    const locale_t before = uselocale(state->c);
    for (int i = 0; i < 1000 || slow; i++) {
        snprintf(text, sizeof text, "%.3f", i % 1000 * 0.125);
        char *end;
        const double number = strtod(text, &end);
        if (*end != 0) break;
        if (i < 1000) sum += number;
        if (slow) pause_ms(1);
        if (slow && api->is_expired(api, task)) break;
    }
    const int length = snprintf(text, sizeof text, "%.1f", sum);
    uselocale(before);
    if (slow) return failed(error, "told to stop");
    if (strcmp(text, "62437.5") != 0) return failed(error, "a wrong sum");
    const curfew_status answer = api->complete(api, task, CURFEW_OK, NULL, 0, text, (uint64_t)length);
    return answer == CURFEW_EXHAUSTED ? failed(error, "the host did not take the result") : CURFEW_OK;
}

static void retire(void *plugin_data) {
    state_close(plugin_data);
    free(plugin_data);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL) return failed(host_error, "no memory for the state of the plugin");
    if (!state_open(state)) {
        free(state);
        return failed(host_error, "the state of the plugin could not be set up");
    }
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = state,
                                    .run = run};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        retire(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return CURFEW_OK;
}
