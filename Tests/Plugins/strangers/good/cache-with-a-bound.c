/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Remembers checksums of payloads in a cache of 64 places that belongs to one host, and frees
 * it in retire. Memory grows with the first tasks, and then no more.
 */
#include "stranger.h"

#include <pthread.h>

CURFEW_PLUGIN_NOTE();

#define PLACES 64

struct place {
    uint64_t hash;
    size_t bytes;
    void *copy;
};

struct cache {
    pthread_mutex_t lock;
    unsigned long hits;
    struct place places[PLACES];
};

static uint64_t hash_of(const unsigned char *bytes, uint64_t count) {
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    struct cache *cache = data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    size_t kept = info.payload_bytes < 512 ? (size_t)info.payload_bytes : 512;
    uint64_t hash = hash_of(info.payload, kept);
    pthread_mutex_lock(&cache->lock);
    struct place *place = &cache->places[hash % PLACES];
    if (place->copy != NULL && place->hash == hash) {
        cache->hits++;
    } else {
        free(place->copy);
        place->copy = malloc(512);
        if (place->copy != NULL && kept > 0) memcpy(place->copy, info.payload, kept);
        place->hash = hash;
        place->bytes = kept;
    }
    pthread_mutex_unlock(&cache->lock);
    return CURFEW_OK;
}

static void retire(void *data) {
    struct cache *cache = data;
    for (int i = 0; i < PLACES; i++) free(cache->places[i].copy);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    struct cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL) return failed(error, "no memory for the cache");
    pthread_mutex_init(&cache->lock, NULL);
    info->plugin_data = cache;
    info->retire = retire;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .handler_data = cache,
                                    .run = run};
    curfew_status status = api->register_handler(api, &handler, error);
    if (status != CURFEW_OK) {
        info->plugin_data = NULL;
        info->retire = NULL;
        retire(cache);
    }
    return status;
}
