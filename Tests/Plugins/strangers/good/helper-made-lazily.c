/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Starts a helper thread in the first task that needs it, keeps it for the later ones, and
 * joins it in retire. Between tasks a thread of the plugin sleeps on a condition, which is
 * allowed until it is retired.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct helper {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started, ending;
    pthread_t thread;
    unsigned long asked, answered;
};

static void *help(void *argument) {
    struct helper *helper = argument;
    pthread_setname_np(pthread_self(), "stranger-helper");
    pthread_mutex_lock(&helper->lock);
    while (!helper->ending) {
        if (helper->answered < helper->asked) {
            helper->answered++;
            pthread_cond_broadcast(&helper->changed);
        } else {
            pthread_cond_wait(&helper->changed, &helper->lock);
        }
    }
    pthread_mutex_unlock(&helper->lock);
    return NULL;
}

static int ask(struct helper *helper) {
    int problem = 0;
    pthread_mutex_lock(&helper->lock);
    if (!helper->started) problem = pthread_create(&helper->thread, NULL, help, helper);
    if (problem == 0) {
        helper->started = true;
        unsigned long mine = ++helper->asked;
        pthread_cond_broadcast(&helper->changed);
        while (helper->answered < mine) pthread_cond_wait(&helper->changed, &helper->lock);
    }
    pthread_mutex_unlock(&helper->lock);
    return problem;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    bool slow = payload_is(&info, "slow");
    do {
        int problem = ask(data);
        if (problem != 0) return failed(error, strerror(problem));
        if (slow) pause_ms(2);
    } while (slow && !api->is_expired(api, task));
    return slow ? failed(error, "told to stop") : CURFEW_OK;
}

static void retire(void *data) {
    struct helper *helper = data;
    pthread_mutex_lock(&helper->lock);
    helper->ending = true;
    pthread_cond_broadcast(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
    if (helper->started) pthread_join(helper->thread, NULL);
    pthread_cond_destroy(&helper->changed);
    pthread_mutex_destroy(&helper->lock);
    free(helper);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct helper *helper = calloc(1, sizeof *helper);
    if (helper == NULL) return failed(error, "out of memory");
    pthread_mutex_init(&helper->lock, NULL);
    pthread_cond_init(&helper->changed, NULL);
    curfew_handler handler = {sizeof handler, 0, "org.example.stranger.work", helper, run, NULL};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        free(helper);
        return status;
    }
    info->plugin_data = helper;
    info->retire = retire;
    return CURFEW_OK;
}
