/* SPDX-License-Identifier: Apache-2.0 */
/* Small errands, one handler for each way a task can go that the command line has to show. */
#define _POSIX_C_SOURCE 200809L
#include <curfew/plugin.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

static curfew_value text_value(const char *text) {
    return (curfew_value){
        .struct_size = sizeof(curfew_value),
        .type = CURFEW_TYPE_TEXT,
        .text = text,
        .text_bytes = strlen(text),
    };
}

static curfew_value integer_value(int32_t type, int64_t integer) {
    return (curfew_value){.struct_size = sizeof(curfew_value), .type = type, .integer = integer};
}

struct forgotten {
    const curfew_host_api *api;
    curfew_task task;
};

static void rest(void) {
    const struct timespec step = {.tv_nsec = 1000000};
    nanosleep(&step, NULL);
}

/* Reports, raises, logs, and leaves a result. */
static curfew_status works(void *handler_data, const curfew_host_api *api, curfew_task task,
                           curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    api->log(api, task, CURFEW_LOG_DEBUG, CURFEW_TEXT("looking around"));
    api->log(api, task, CURFEW_LOG_INFO, CURFEW_TEXT("two things to make"));
    api->progress(api, task, 0.5, CURFEW_TEXT("1 of 2 things"));
    const curfew_value made[] = {text_value("a \"cup\""), integer_value(CURFEW_TYPE_INT64, 12)};
    api->raise(api, task, "works_made", made, 2);
    api->progress(api, task, 1, CURFEW_TEXT("2 of 2 things"));
    api->complete(api, task, CURFEW_OK, NULL, 0, CURFEW_TEXT("{\"made\":2}"));
    return CURFEW_OK;
}

/* Fails with a text that would change a terminal's title, colour and contents. */
static curfew_status fails(void *handler_data, const curfew_host_api *api, curfew_task task,
                           curfew_error *host_error) {
    (void)handler_data;
    api->progress(api, task, 0.25, CURFEW_TEXT("\x1b]0;owned\x07\x1b[31mred"));
    strcpy(host_error->message, "no paper\x1b[2J\nleft \xe2\x80\xaein the tray");
    return CURFEW_FAILED;
}

/* Gives its payload back. */
static curfew_status echoes(void *handler_data, const curfew_host_api *api, curfew_task task,
                            curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    curfew_task_info info = {.struct_size = sizeof info};
    api->task_info(api, task, &info);
    api->complete(api, task, CURFEW_OK, NULL, 0, info.payload, info.payload_bytes);
    return CURFEW_OK;
}

/* Works until it is told to stop, and answers. */
static curfew_status waits(void *handler_data, const curfew_host_api *api, curfew_task task,
                           curfew_error *host_error) {
    (void)handler_data;
    api->progress(api, task, 0.25, CURFEW_TEXT("12 of 48 files"));
    while (!api->is_expired(api, task)) rest();
    strcpy(host_error->message, "12 files are done, 36 are left");
    return CURFEW_FAILED;
}

/* Never looks at whether it should stop. */
static curfew_status stubborn(void *handler_data, const curfew_host_api *api, curfew_task task,
                              curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    api->progress(api, task, 0, CURFEW_TEXT("begun"));
    volatile bool willing = false;
    while (!willing) pause();
    return CURFEW_OK;
}

/* Says the same thing very often. */
static curfew_status chatters(void *handler_data, const curfew_host_api *api, curfew_task task,
                              curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    for (int32_t i = 1; i <= 500; i++) {
        const curfew_value said = integer_value(CURFEW_TYPE_INT32, i);
        api->raise(api, task, "chatters_said", &said, 1);
        char text[32];
        snprintf(text, sizeof text, "word %d", (int)i);
        api->progress(api, task, i / 500.0, CURFEW_TEXT(text));
    }
    return CURFEW_OK;
}

/* Lets go of a task that was to be completed later, as soon as that is possible. */
static void *let_go(void *task_to_forget) {
    const struct forgotten *forgotten = task_to_forget;
    while (forgotten->api->release(forgotten->api, forgotten->task) != CURFEW_OK) rest();
    return NULL;
}

/* Says that it will be completed later, and sees to it that it is not. */
static curfew_status forgets(void *handler_data, const curfew_host_api *api, curfew_task task,
                             curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    static struct forgotten forgotten;
    forgotten = (struct forgotten){.api = api, .task = task};
    pthread_t thread;
    if (pthread_create(&thread, NULL, let_go, &forgotten) != 0) return CURFEW_SYSTEM;
    pthread_detach(thread);
    return CURFEW_PENDING;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    static const struct {
        const char *identifier;
        curfew_run_function run;
    } errands[] = {
        {"org.curfew.test.errands.works", works},
        {"org.curfew.test.errands.fails", fails},
        {"org.curfew.test.errands.echoes", echoes},
        {"org.curfew.test.errands.waits", waits},
        {"org.curfew.test.errands.stubborn", stubborn},
        {"org.curfew.test.errands.chatters", chatters},
        {"org.curfew.test.errands.forgets", forgets},
    };
    for (size_t i = 0; i < sizeof errands / sizeof *errands; i++) {
        const curfew_handler handler = {.struct_size = sizeof handler,
                                        .identifier = errands[i].identifier,
                                        .run = errands[i].run};
        const curfew_status status = api->register_handler(api, &handler, host_error);
        if (status != CURFEW_OK) return status;
    }
    return CURFEW_OK;
}
