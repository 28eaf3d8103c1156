/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Copies the words of its payload into an arena of linked chunks, which is freed as a whole.
 */
#include "stranger.h"

CURFEW_PLUGIN_NOTE();

struct chunk {
    struct chunk *previous;
    size_t used, size;
    char bytes[];
};

struct arena {
    struct chunk *last;
};

static void *take(struct arena *arena, size_t count) {
    struct chunk *chunk = arena->last;
    if (chunk == NULL || chunk->size - chunk->used < count) {
        size_t size = count > 16000 ? count : 16000;
        chunk = malloc(sizeof *chunk + size);
        if (chunk == NULL)
            return NULL;
        *chunk = (struct chunk){.previous = arena->last, .size = size};
        arena->last = chunk;
    }
    void *place = chunk->bytes + chunk->used;
    chunk->used += count;
    return place;
}

static void drop(struct arena *arena) {
    while (arena->last != NULL) {
        struct chunk *chunk = arena->last;
        arena->last = chunk->previous;
        free(chunk);
    }
}

static curfew_status work(const curfew_task_info *about, curfew_error *err) {
    struct arena arena = {NULL};
    const char *text = about->payload;
    uint64_t start = 0, words = 0;
    for (uint64_t i = 0; i < about->payload_bytes; i++) {
        if (text[i] != ' ' && i + 1 < about->payload_bytes)
            continue;
        char *word = take(&arena, i + 1 - start);
        if (word == NULL) {
            drop(&arena);
            return failed(err, "out of memory");
        }
        memcpy(word, text + start, i + 1 - start);
        start = i + 1;
        words++;
    }
    drop(&arena);
    return words <= about->payload_bytes ? CURFEW_OK : failed(err, "too many words");
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(&about, err);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
