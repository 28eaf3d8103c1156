/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Waits with epoll for a timerfd and an eventfd, which the expired callback writes to.
 */
#include "stranger.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

CURFEW_PLUGIN_NOTE();

struct state {
    pthread_mutex_t lock;
    curfew_task task; /* the one that waits, or 0 */
    int wake;
};

static bool state_open(struct state *state) { return pthread_mutex_init(&state->lock, NULL) == 0; }

static void state_close(struct state *state) { pthread_mutex_destroy(&state->lock); }

static void expired(void *data, const curfew_host_api *api, curfew_task task, curfew_reason reason) {
    (void)api;
    (void)reason;
    struct state *state = data;
    pthread_mutex_lock(&state->lock);
    if (state->task == task) eventfd_write(state->wake, 1);
    pthread_mutex_unlock(&state->lock);
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct state *state = data;
    const int set = epoll_create1(EPOLL_CLOEXEC);
    const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    curfew_status status = CURFEW_OK;
    struct epoll_event on_wake = {.events = EPOLLIN | EPOLLET, .data.u32 = 1};
    struct epoll_event on_timer = {.events = EPOLLIN, .data.u32 = 2};
    const struct itimerspec period = {.it_interval = {.tv_nsec = 2000000},
                                      .it_value = {.tv_nsec = 2000000}};
    if (set < 0 || wake < 0 || timer < 0 || epoll_ctl(set, EPOLL_CTL_ADD, wake, &on_wake) != 0 ||
        epoll_ctl(set, EPOLL_CTL_ADD, timer, &on_timer) != 0 ||
        timerfd_settime(timer, 0, &period, NULL) != 0) {
        status = failed(error, "no descriptors for the loop");
    } else {
        pthread_mutex_lock(&state->lock);
        state->wake = wake;
        state->task = task;
        pthread_mutex_unlock(&state->lock);
        uint64_t ticks = 0;
        while (slow || ticks < 5) {
            struct epoll_event events[4];
            const int count = epoll_wait(set, events, 4, 100);
            if (count < 0 && errno != EINTR) {
                status = failed(error, "epoll_wait failed");
                break;
            }
            for (int i = 0; i < count; i++)
                if (events[i].data.u32 == 2) {
                    uint64_t more;
                    if (read(timer, &more, sizeof more) == (ssize_t)sizeof more) ticks += more;
                }
            if (api->is_expired(api, task)) {
                status = failed(error, "told to stop");
                break;
            }
        }
        pthread_mutex_lock(&state->lock);
        state->task = 0;
        pthread_mutex_unlock(&state->lock);
    }
    if (timer >= 0) close(timer);
    if (wake >= 0) close(wake);
    if (set >= 0) close(set);
    return status;
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
                                    .run = run,
                                    .expired = expired};
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) {
        retire(state);
        return status;
    }
    host_info->plugin_data = state;
    host_info->retire = retire;
    return CURFEW_OK;
}
