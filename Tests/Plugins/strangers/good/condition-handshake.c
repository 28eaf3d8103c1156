/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Plays ping-pong with a thread over one mutex and two condition variables, joins it, and
 * destroys them.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

struct table_tennis {
    pthread_mutex_t lock;
    pthread_cond_t here, there;
    int ball;
    int rounds;
};

static void *opponent(void *argument) {
    struct table_tennis *game = argument;
    pthread_mutex_lock(&game->lock);
    while (game->rounds < 50) {
        while (game->ball == 0) pthread_cond_wait(&game->there, &game->lock);
        game->ball = 0;
        game->rounds++;
        pthread_cond_signal(&game->here);
    }
    pthread_mutex_unlock(&game->lock);
    return NULL;
}

static curfew_status work(curfew_error *error) {
    struct table_tennis game = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                                PTHREAD_COND_INITIALIZER, 0, 0};
    pthread_t thread;
    int problem = pthread_create(&thread, NULL, opponent, &game);
    if (problem != 0) return failed(error, strerror(problem));
    pthread_mutex_lock(&game.lock);
    while (game.rounds < 50) {
        game.ball = 1;
        pthread_cond_signal(&game.there);
        while (game.ball == 1) pthread_cond_wait(&game.here, &game.lock);
    }
    pthread_mutex_unlock(&game.lock);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&game.here);
    pthread_cond_destroy(&game.there);
    pthread_mutex_destroy(&game.lock);
    return CURFEW_OK;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return work(error);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
