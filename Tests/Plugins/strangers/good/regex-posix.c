/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Parses dates with a compiled POSIX expression, sorts them with qsort_r and prints them with
 * strftime in UTC.
 */
#include "stranger.h"

#include <regex.h>

CURFEW_PLUGIN_NOTE();

struct order {
    int sign;
};

static int compare(const void *a, const void *b, void *order) {
    const time_t x = *(const time_t *)a, y = *(const time_t *)b;
    return ((x > y) - (x < y)) * ((const struct order *)order)->sign;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    static const char *const lines[] = {"on 2024-02-29 at noon", "2021-12-31", "till 1999-01-01."};
    regex_t date;
    if (regcomp(&date, "([0-9]{4})-([0-9]{2})-([0-9]{2})", REG_EXTENDED) != 0)
        return failed(error, "could not compile the expression");
    curfew_status status = CURFEW_OK;
    do {
        time_t dates[3];
        for (int i = 0; i < 3; i++) {
            regmatch_t found[4];
            if (regexec(&date, lines[i], 4, found, 0) != 0) {
                status = failed(error, "no date in the line");
                break;
            }
            struct tm when = {.tm_year = atoi(lines[i] + found[1].rm_so) - 1900,
                              .tm_mon = atoi(lines[i] + found[2].rm_so) - 1,
                              .tm_mday = atoi(lines[i] + found[3].rm_so)};
            dates[i] = timegm(&when);
        }
        if (status != CURFEW_OK) break;
        struct order down = {-1};
        qsort_r(dates, 3, sizeof dates[0], compare, &down);
        struct tm first;
        char text[32];
        if (gmtime_r(&dates[0], &first) == NULL ||
            strftime(text, sizeof text, "%d.%m.%Y", &first) == 0 || strcmp(text, "29.02.2024") != 0)
            status = failed(error, "a wrong date");
        if (slow) pause_ms(2);
        if (slow && api->is_expired(api, task)) status = failed(error, "told to stop");
    } while (slow && status == CURFEW_OK);
    regfree(&date);
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
