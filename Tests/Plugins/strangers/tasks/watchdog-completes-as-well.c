/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0832 CF0837 CF0869
 *
 * Has a second thread complete each pending task, whether or not the first one did.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;

struct plugin {
    int threads;
};

struct job {
    struct plugin *plugin;
    const curfew_host_api *api;
    curfew_task task;
    curfew_task_info info;
};

static void *watchdog(void *argument) {
    struct job *job = argument;
    pause_ms(30);
    job->api->complete(job->api, job->task, CURFEW_FAILED, CURFEW_TEXT("hung"), NULL, 0);
    return NULL;
}

static void leave(struct job *job) {
    struct plugin *plugin = job->plugin;
    free(job);
    pthread_mutex_lock(&lock);
    plugin->threads--;
    pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&lock);
}

static void finish(struct job *job, curfew_status status, const char *text) {
    curfew_status said = job->api->complete(job->api, job->task, status, text,
                                            text ? strlen(text) : 0, NULL, 0);
    if (said == CURFEW_EXHAUSTED) job->api->release(job->api, job->task);
}

static void *work(void *argument) {
    struct job *job = argument;
    pthread_t dog;
    bool watched = !payload_is(&job->info, "slow") && !payload_is(&job->info, "fail") &&
                   pthread_create(&dog, NULL, watchdog, job) == 0;
    if (payload_is(&job->info, "slow")) {
        while (!job->api->is_expired(job->api, job->task)) pause_ms(1);
        finish(job, CURFEW_FAILED, "told to stop");
    } else if (payload_is(&job->info, "fail")) {
        finish(job, CURFEW_FAILED, "asked to fail");
    } else {
        finish(job, CURFEW_OK, NULL);
    }
    if (watched) pthread_join(dog, NULL);
    leave(job);
    return NULL;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct job *job = calloc(1, sizeof *job);
    pthread_t thread;
    if (job == NULL) return failed(error, "no memory");
    *job = (struct job){data, api, task, {.struct_size = sizeof job->info}};
    pthread_mutex_lock(&lock);
    job->plugin->threads++;
    pthread_mutex_unlock(&lock);
    if (api->task_info(api, task, &job->info) != CURFEW_OK ||
        pthread_create(&thread, NULL, work, job) != 0) {
        leave(job);
        return failed(error, "could not start");
    }
    pthread_detach(thread);
    return CURFEW_PENDING;
}

static void retire(void *data) {
    struct plugin *plugin = data;
    pthread_mutex_lock(&lock);
    while (plugin->threads > 0) pthread_cond_wait(&idle, &lock);
    pthread_mutex_unlock(&lock);
    free(plugin);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct plugin *plugin = calloc(1, sizeof *plugin);
    if (plugin == NULL) return failed(error, "no memory");
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = plugin,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        free(plugin);
        return status;
    }
    info->plugin_data = plugin;
    info->retire = retire;
    return CURFEW_OK;
}
