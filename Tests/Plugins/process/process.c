/* SPDX-License-Identifier: Apache-2.0 */
/* Does what its payload says, a word and an argument, for tests of plugins in processes of their own. */
#define _GNU_SOURCE
#include <curfew/plugin.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

static const curfew_host_api *host;
static curfew_task kept;
static bool retires_badly;
/* The file that its retire function waits for. */
static char retires_after[512];

/* Appends a line to a file in one write, so that lines of several processes stay whole. */
static void note(const char *path, const char *text) {
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) abort();
    char line[256];
    const int length = snprintf(line, sizeof line, "%s %d\n", text, (int)getpid());
    if (write(file, line, (size_t)length) != length) abort();
    close(file);
}

static void mark(const char *path, const char *what) {
    char marked[1024];
    snprintf(marked, sizeof marked, "%s.%s", path, what);
    note(marked, what);
}

/* Waits for a file, and marks it with ".begun" before and ".ended" after. */
static void wait_for_file(const char *path) {
    struct stat status;
    mark(path, "begun");
    while (stat(path, &status) != 0) usleep(1000);
    mark(path, "ended");
}

/* A daemon that nothing but SIGKILL ends, and that holds the writing end of a named pipe. */
static void *stay(void *path) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    const int file = open(path, O_WRONLY);
    if (file < 0 || write(file, "begun\n", 6) != 6) abort();
    for (;;) pause();
}

static void start_daemon(void *path) {
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0) stay(path);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

/* The number of tasks that this process has begun. */
static _Atomic int runs;

static void *complete_later(void *argument) {
    const curfew_task task = (curfew_task)(uintptr_t)argument;
    host->complete(host, task, CURFEW_OK, NULL, 0, "later", 5);
    return NULL;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* "FILE INDEX NANOSECONDS": completes the task after that time, and writes the answer as a byte of the
 * file, plus one. */
static curfew_status race(const curfew_host_api *api, curfew_task task, const char *argument) {
    static _Atomic int file = -1;
    const uint64_t begun = now();
    char path[512];
    long index = 0;
    unsigned long long span = 0;
    if (sscanf(argument, "%511s %ld %llu", path, &index, &span) != 3) return CURFEW_FAILED;
    if (file < 0) file = open(path, O_WRONLY | O_CLOEXEC);
    while (now() - begun < span) {}
    const uint8_t answer = 1 + (uint8_t)api->complete(api, task, CURFEW_OK, NULL, 0, NULL, 0);
    return pwrite(file, &answer, 1, index) == 1 ? CURFEW_OK : CURFEW_FAILED;
}

/* Raises an event after a time, and writes the answer and one more at a place of a file. */
static curfew_status raise_race(const curfew_host_api *api, curfew_task task, const char *argument) {
    const unsigned long long begun = now();
    char path[512];
    long index = 0;
    unsigned long long span = 0;
    if (sscanf(argument, "%511s %ld %llu", path, &index, &span) != 3) return CURFEW_FAILED;
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const curfew_value values[2] = {
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_TEXT, .text = "race", .text_bytes = 4},
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_INT64, .integer = index}};
    while (now() - begun < span) {}
    const uint8_t answer = 1 + (uint8_t)api->raise(api, task, "process_said", values, 2);
    const bool is_written = pwrite(file, &answer, 1, index) == 1;
    close(file);
    return is_written ? CURFEW_OK : CURFEW_FAILED;
}

static void *crash(void *argument) {
    *(volatile int *)8 = 1;
    return argument;
}

static int overflow(volatile char *outer) {
    volatile char frame[512];
    frame[0] = *outer;
    return overflow(frame) + frame[1];
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data;
    host = api;
    const int count = ++runs;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return CURFEW_FAILED;
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)info.payload_bytes, (const char *)info.payload);
    char *argument = strchr(text, ' ');
    if (argument == NULL) argument = text + strlen(text);
    else *argument++ = 0;
    if (strcmp(text, "crash") == 0) *(volatile int *)8 = 1;
    if (strcmp(text, "abort") == 0) abort();
    if (strcmp(text, "overflow") == 0) return overflow(text) == 0 ? CURFEW_OK : CURFEW_FAILED;
    if (strcmp(text, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, crash, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(text, "leave") == 0) _exit(atoi(argument));
    if (strcmp(text, "exit") == 0) exit(atoi(argument));
    if (strcmp(text, "signal") == 0) kill(getpid(), atoi(argument));
    if (strcmp(text, "hang") == 0) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
        for (;;) pause();
    }
    if (strcmp(text, "spread") == 0) {
        for (int daemon = 0; daemon < 4; daemon++) start_daemon(argument);
        stay(argument);
    }
    if (strcmp(text, "until") == 0) {
        while (!api->is_expired(api, task)) usleep(1000);
        return CURFEW_OK;
    }
    if (strcmp(text, "retires-badly") == 0) retires_badly = true;
    if (strcmp(text, "retires-after") == 0) {
        snprintf(retires_after, sizeof retires_after, "%s", argument);
    }
    if (strcmp(text, "race") == 0) return race(api, task, argument);
    if (strcmp(text, "raise-race") == 0) return raise_race(api, task, argument);
    if (strcmp(text, "count") == 0) {
        for (long number = 0; number < atol(argument); number++) {
            const curfew_value values[2] = {
                {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_TEXT, .text = "count",
                 .text_bytes = 5},
                {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_INT64, .integer = number}};
            const curfew_status status = api->raise(api, task, "process_said", values, 2);
            if (status != CURFEW_OK) return status;
        }
    }
    if (strcmp(text, "runs") == 0) {
        char number[16];
        const int length = snprintf(number, sizeof number, "%d", count);
        return api->complete(api, task, CURFEW_OK, NULL, 0, number, (uint64_t)length);
    }
    if (strcmp(text, "print") == 0) {
        printf("%s\n", argument);
        fprintf(stderr, "an error of %s\n", argument);
    }
    if (strcmp(text, "flood") == 0) {
        for (int line = 0; line < 20000; line++) printf("%099d\n", line);
    }
    if (strcmp(text, "note") == 0) note(argument, "ran");
    if (strcmp(text, "wait") == 0) wait_for_file(argument);
    if (strcmp(text, "fail") == 0) {
        snprintf(host_error->message, sizeof host_error->message, "%s", argument);
        return CURFEW_FAILED;
    }
    if (strcmp(text, "pending") == 0) {
        kept = task;
        return CURFEW_PENDING;
    }
    if (strcmp(text, "later") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, complete_later, (void *)(uintptr_t)task);
        pthread_detach(thread);
        return CURFEW_PENDING;
    }
    if (strcmp(text, "result") == 0) {
        const uint64_t count = strtoull(argument, NULL, 10);
        uint8_t *bytes = malloc(count + 1);
        for (uint64_t index = 0; index < count; index++) bytes[index] = (uint8_t)(index * 7);
        const curfew_status status = api->complete(api, task, CURFEW_OK, NULL, 0, bytes, count);
        free(bytes);
        return status == CURFEW_OK ? CURFEW_OK : CURFEW_FAILED;
    }
    if (strcmp(text, "say") == 0) {
        const curfew_value values[2] = {
            {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_TEXT, .text = argument,
             .text_bytes = strlen(argument)},
            {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_INT64, .integer = getpid()}};
        api->progress(api, task, 0.5, "half", 4);
        return api->raise(api, task, "process_said", values, 2);
    }
    return CURFEW_OK;
}

static void expired(void *handler_data, const curfew_host_api *api, curfew_task task,
                    curfew_reason reason) {
    (void)handler_data, (void)reason;
    if (task == kept) api->complete(api, task, CURFEW_FAILED, "stopped", 7, NULL, 0);
}

static void retire(void *plugin_data) {
    (void)plugin_data;
    const char *path = getenv("CURFEW_TEST_RETIRED");
    if (path != NULL) note(path, "retired");
    if (retires_badly) *(volatile int *)8 = 1;
    if (retires_after[0] != 0) wait_for_file(retires_after);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->retire = retire;
    const char *const names[2] = {"org.curfew.test.process.one", "org.curfew.test.process.many"};
    for (int index = 0; index < 2; index++) {
        const curfew_handler handler = {.struct_size = sizeof handler,
                                        .identifier = names[index],
                                        .run = run,
                                        .expired = expired};
        const curfew_status status = api->register_handler(api, &handler, host_error);
        if (status != CURFEW_OK) return status;
    }
    return CURFEW_OK;
}
