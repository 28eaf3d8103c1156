/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Recovers a robust, priority-inheriting mutex that a thread of its own held when it ended.
 */
#include "stranger.h"

#include <errno.h>
#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static void *die(void *mutex) {
    pthread_mutex_lock(mutex);
    return NULL;
}

static curfew_status recover(curfew_error *error, pthread_mutex_t *mutex) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, die, mutex) != 0) return failed(error, "no thread");
    pthread_join(thread, NULL);
    const int fault = pthread_mutex_lock(mutex);
    if (fault == 0) {
        pthread_mutex_unlock(mutex);
        return failed(error, "the mutex did not notice");
    }
    if (fault != EOWNERDEAD) return failed(error, "the mutex is lost");
    pthread_mutex_consistent(mutex);
    pthread_mutex_unlock(mutex);
    return CURFEW_OK;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    if (pthread_mutexattr_init(&attributes) != 0) return failed(error, "no attributes");
    const int fault = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) != 0 ||
                      pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) != 0 ||
                      pthread_mutex_init(&mutex, &attributes) != 0;
    pthread_mutexattr_destroy(&attributes);
    if (fault) return failed(error, "no mutex");
    curfew_status status;
    do {
        status = recover(error, &mutex);
        if (slow) pause_ms(5);
        if (slow && api->is_expired(api, task)) status = failed(error, "told to stop");
    } while (slow && status == CURFEW_OK);
    pthread_mutex_destroy(&mutex);
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
