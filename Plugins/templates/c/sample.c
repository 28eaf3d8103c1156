/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the lines of a file that have a word in them, a log's for instance.
 *
 * Payload: two lines, the word and the absolute path of the file. For each line that is found the
 * event sample_found(number, line) is raised; the result is their count. A line that is longer than
 * LINE_LIMIT is taken for several.
 */
#define _POSIX_C_SOURCE 200809L
#include <curfew/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

enum { LINE_LIMIT = 4096, PAYLOAD_LIMIT = 8192 };

/* The text of a failure is all that people see of it: what, where, what to do next. */
static curfew_status fail(curfew_error *host_error, const char *what, const char *path) {
    snprintf(host_error->message, sizeof host_error->message, "%s %s: %s", what, path,
             strerror(errno));
    return CURFEW_FAILED;
}

static void raise_found(const curfew_host_api *api, curfew_task task, int64_t number,
                        const char *line) {
    /* As the manifest declares it: an int64 and a text. */
    const curfew_value values[] = {
        {.struct_size = sizeof *values, .type = CURFEW_TYPE_INT64, .integer = number},
        {.struct_size = sizeof *values, .type = CURFEW_TYPE_TEXT, .text = line,
         .text_bytes = strcspn(line, "\n")},
    };
    /* CURFEW_BUSY says that the queue is full: no reason to give up the work. */
    (void)api->raise(api, task, "sample_found", values, 2);
}

static curfew_status find(const curfew_host_api *api, curfew_task task, const char *word,
                          FILE *file, int64_t size, curfew_error *host_error) {
    char line[LINE_LIMIT];
    int64_t number = 0, found = 0, bytes = 0, reported = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        /* One load: cheap enough for every line. After it the task has its grace to return. */
        if (api->is_expired(api, task)) {
            snprintf(host_error->message, sizeof host_error->message,
                     "told to stop after line %" PRId64 "; %" PRId64 " were found until then",
                     number, found);
            return CURFEW_FAILED;
        }
        number++;
        if (strstr(line, word) != NULL) {
            found++;
            raise_found(api, task, number, line);
        }
        bytes += (int64_t)strlen(line);
        if (size > 0 && bytes - reported > size / 100) {
            reported = bytes;
            api->progress(api, task, bytes < size ? (double)bytes / (double)size : 1,
                          CURFEW_TEXT("reading"));
        }
    }
    if (ferror(file)) {
        snprintf(host_error->message, sizeof host_error->message,
                 "could not read past line %" PRId64 ": %s", number, strerror(errno));
        return CURFEW_FAILED;
    }
    api->progress(api, task, 1, CURFEW_TEXT("read"));
    /* The result, and with it the end of the task. Without one, CURFEW_OK alone is enough. */
    char result[32];
    snprintf(result, sizeof result, "%" PRId64, found);
    api->complete(api, task, CURFEW_OK, NULL, 0, CURFEW_TEXT(result));
    return CURFEW_OK;
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    curfew_task_info info = {.struct_size = sizeof info};
    curfew_status status = api->task_info(api, task, &info);
    if (status != CURFEW_OK) return status;

    /* The payload is the host's and has no NUL at its end. */
    char payload[PAYLOAD_LIMIT] = {0};
    char *end = NULL;
    if (info.payload_bytes != 0 && info.payload_bytes < sizeof payload) {
        memcpy(payload, info.payload, info.payload_bytes);
        end = strchr(payload, '\n');
    }
    if (end == NULL || end == payload || end[1] != '/') {
        snprintf(host_error->message, sizeof host_error->message,
                 "the payload must be two lines, a word and the absolute path of a file");
        return CURFEW_INVALID;
    }
    *end = 0;
    char *path = end + 1;
    path[strcspn(path, "\n")] = 0;

    /* A call that waits for others (a pipe's writer, a server) does not see is_expired: use those
     * that do not wait, or interrupt them in the handler's `expired` function. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    struct stat facts;
    if (file == NULL || fstat(descriptor, &facts) != 0) {
        status = fail(host_error, "could not open", path);
    } else {
        status = find(api, task, payload, file, (int64_t)facts.st_size, host_error);
    }
    if (file != NULL) {
        fclose(file);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    return status;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.sample", .run = run};
    return api->register_handler(api, &handler, host_error);
}
