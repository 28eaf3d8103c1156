/* SPDX-License-Identifier: Apache-2.0 */
/* Does what its payload says, a word and an argument, for tests of plugins in processes of their own. */
#define _GNU_SOURCE
#include <curfew/ext/requests.h>
#include <curfew/plugin.h>

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

/* Stops the process while no function runs. */
static atomic_bool stops_soon;
static void *stop_soon(void *argument) {
    usleep(50000);
    atomic_store(&stops_soon, false);
    kill(getpid(), SIGSTOP);
    return argument;
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

/* The ring of the records that the host reads. */
static struct {
    uint8_t *start; /* of the shared memory */
    uint8_t *bytes;
    _Atomic uint64_t *tail;
} ring;
enum { ring_bytes = 1 << 20 };

static bool find_ring(void) {
    unsigned long long start = 0;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && start == 0 && fgets(line, sizeof line, maps) != NULL)
        if (strstr(line, "curfew-up") != NULL) sscanf(line, "%llx", &start);
    if (maps != NULL) fclose(maps);
    ring.start = (uint8_t *)(uintptr_t)start;
    ring.tail = (_Atomic uint64_t *)(uintptr_t)(start + 4096);
    ring.bytes = ring.start + 3 * 4096;
    return start != 0;
}

/* Has the host read up to there. */
static void publish(uint64_t tail) {
    *ring.tail = tail;
    for (int look = 0; look < 4; look++) {
        syscall(SYS_futex, ring.start, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        usleep(5000);
    }
}

/* "KIND BYTES FILLING": writes a record of a kind with so many bytes of one value, and exits. */
static curfew_status forge(curfew_task task, const char *argument) {
    unsigned kind, bytes, filling;
    if (sscanf(argument, "%u %u %u", &kind, &bytes, &filling) != 3 || !find_ring())
        return CURFEW_FAILED;
    const uint64_t at = *ring.tail, head[2] = {bytes | (uint64_t)kind << 32, task};
    const unsigned size = sizeof head + ((bytes + 7) & ~7U);
    for (unsigned byte = 0; byte < size; byte++)
        ring.bytes[(at + byte) % ring_bytes] =
            byte < sizeof head ? ((const uint8_t *)head)[byte] : (uint8_t)filling;
    publish(at + size);
    _exit(0);
}

/* "COUNT FUNCTION": makes a call of the host so many times, each before the last was answered. */
static curfew_status hurry(const char *argument, curfew_task task) {
    unsigned count, function;
    if (sscanf(argument, "%u %u", &count, &function) != 2 || !find_ring()) return CURFEW_FAILED;
    /* CALL, with mailbox 0 and number 1. */
    const uint64_t record[3] = {8 | (uint64_t)7 << 32, task, (uint64_t)function << 16 | 1ULL << 32};
    uint64_t at = *ring.tail;
    for (unsigned number = 0; number < count; number++)
        for (unsigned byte = 0; byte < sizeof record; byte++, at++)
            ring.bytes[at % ring_bytes] = ((const uint8_t *)record)[byte];
    publish(at);
    return CURFEW_OK;
}

/* "COUNT": raises an event, and writes its record so many times more. */
static curfew_status repeat(const curfew_host_api *api, curfew_task task, const char *argument) {
    if (!find_ring()) return CURFEW_FAILED;
    const curfew_value values[2] = {
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_TEXT, .text = "again", .text_bytes = 5},
        {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_INT64}};
    const uint64_t from = *ring.tail;
    const curfew_status status = api->raise(api, task, "process_said", values, 2);
    const uint64_t to = *ring.tail, whole = to + (to - from) * strtoull(argument, NULL, 10);
    for (uint64_t at = to; at < whole; at++)
        ring.bytes[at % ring_bytes] = ring.bytes[(at - (to - from)) % ring_bytes];
    publish(whole);
    return status;
}

/* Writes over all of the shared memory, once there is a file. */
static curfew_status scribble(const char *path) {
    struct stat status;
    if (!find_ring()) return CURFEW_FAILED;
    while (stat(path, &status) != 0) usleep(1000);
    memset(ring.start, 0xff, 3 * 4096 + ring_bytes);
    return CURFEW_OK;
}

/* Writes over the bells and the places of tasks, and goes on until it is told to stop. */
static curfew_status wipe(const curfew_host_api *api, curfew_task task) {
    if (!find_ring()) return CURFEW_FAILED;
    memset(ring.start, 0, 4096);
    while (!api->is_expired(api, task)) usleep(1000);
    return CURFEW_OK;
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
    if (strcmp(text, "stop-soon") == 0 && !atomic_exchange(&stops_soon, true)) {
        pthread_t thread;
        pthread_create(&thread, NULL, stop_soon, NULL);
        pthread_detach(thread);
    }
    /* The thread itself, so that it does not return first. */
    if (strcmp(text, "stop") == 0) raise(SIGSTOP);
    if (strcmp(text, "become") == 0) execl(argument, argument, "300", NULL);
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
    if (strcmp(text, "forge") == 0) return forge(task, argument);
    if (strcmp(text, "limits") == 0) {
        char said[128];
        struct rlimit data, files, file;
        if (getrlimit(RLIMIT_DATA, &data) != 0 || getrlimit(RLIMIT_NOFILE, &files) != 0 ||
            getrlimit(RLIMIT_FSIZE, &file) != 0)
            return CURFEW_SYSTEM;
        const int length = snprintf(said, sizeof said, "%llu %llu %llu", (unsigned long long)data.rlim_max,
                                    (unsigned long long)files.rlim_max,
                                    (unsigned long long)file.rlim_max);
        return api->complete(api, task, CURFEW_OK, NULL, 0, said, (uint64_t)length);
    }
    if (strcmp(text, "wipe") == 0) return wipe(api, task);
    if (strcmp(text, "scribble") == 0) return scribble(argument);
    if (strcmp(text, "hurry") == 0) return hurry(argument, task);
    if (strcmp(text, "repeat") == 0) return repeat(api, task, argument);
    if (strcmp(text, "raise-race") == 0) return raise_race(api, task, argument);
    if (strcmp(text, "count") == 0) {
        /* "COUNT BYTES": texts of so many bytes. */
        static char filling[65536];
        char *rest;
        const long most = strtol(argument, &rest, 10);
        const unsigned long bytes = *rest == ' ' ? strtoul(rest, NULL, 10) : 5;
        if (bytes > sizeof filling) return CURFEW_INVALID;
        memset(filling, 'x', sizeof filling);
        for (long number = 0; number < most; number++) {
            const curfew_value values[2] = {
                {.struct_size = sizeof(curfew_value), .type = CURFEW_TYPE_TEXT, .text = filling,
                 .text_bytes = bytes},
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
    if (strcmp(text, "remaining") == 0) {
        const uint64_t remaining = api->remaining_ns(api, task);
        return remaining > 0 && remaining <= (uint64_t)atoi(argument) * 1000000000
                   ? CURFEW_OK
                   : CURFEW_FAILED;
    }
    if (strcmp(text, "owner") == 0) {
        const curfew_requests *requests = api->extension(api, CURFEW_EXT_REQUESTS);
        char owner[24];
        const int length = snprintf(owner, sizeof owner, "%lld",
                                    (long long)requests->get_owner(api, task));
        return api->complete(api, task, CURFEW_OK, NULL, 0, owner, (uint64_t)length);
    }
    if (strcmp(text, "trace") == 0) {
        const curfew_requests *requests = api->extension(api, CURFEW_EXT_REQUESTS);
        char trace[CURFEW_TRACE_BYTES] = "";
        const curfew_status status = requests->get_trace(api, task, trace);
        if (argument[0] != 0) {
            const curfew_submit_options next = {
                .struct_size = sizeof next, .trace = trace, .payload = "trace", .payload_bytes = 5};
            if (requests->submit(api, argument, &next, NULL, NULL) != CURFEW_OK) return CURFEW_FAILED;
        }
        const char *answer = status == CURFEW_OK ? trace : "none";
        return api->complete(api, task, CURFEW_OK, NULL, 0, answer, (uint64_t)strlen(answer));
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
