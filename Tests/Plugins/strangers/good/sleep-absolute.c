/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Keeps a beat with clock_nanosleep to absolute times, measures its processor time, and reports
 * progress.
 */
#include "stranger.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

CURFEW_PLUGIN_NOTE();

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct timespec next, cpu;
    struct rusage usage;
    clockid_t clock;
    unsigned seed = 7;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int beat = 1; slow || beat <= 10; beat++) {
        next.tv_nsec += 1000000 + rand_r(&seed) % 1000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
            if (api->is_expired(api, task)) break;
        if (api->is_expired(api, task)) return failed(error, "told to stop");
        if (!slow) api->progress(api, task, beat / 10.0, CURFEW_TEXT("beat"));
    }
    if (pthread_getcpuclockid(pthread_self(), &clock) != 0 || clock_gettime(clock, &cpu) != 0 ||
        getrusage(RUSAGE_THREAD, &usage) != 0)
        return failed(error, "no clock of the thread");
    char line[96];
    const int length = snprintf(line, sizeof line, "%ld ns, %ld faults", cpu.tv_nsec, usage.ru_minflt);
    api->log(api, task, CURFEW_LOG_DEBUG, line, (uint64_t)length);
    return CURFEW_OK;
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
