/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a process with a host in it: it forks and runs other programs at any time, from any
 * thread, and it ends in every way while tasks run.
 *
 *     life fork | vfork           children are made while tasks come and go; leaves with 0
 *     life MODE STATUS            ends as MODE says, with STATUS, while tasks run
 *     life events [locked]        raises more events than there are places for at a time, in turns;
 *                                 where memory that was touched cannot be given back, if it may
 *     life child                  what the children run: looks at what it was left with
 */
#define _GNU_SOURCE
#include <curfew/curfew.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ROUNDS = 150, LIMIT_S = 60 };
static const uint64_t SECOND_NS = 1000000000;

static curfew_host *host;
static const char *mode;
static int status;
static atomic_uint done, children, entered;
static atomic_bool forking;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "life.c:%d: not so: %s (errno %d)\n", __LINE__, #what, errno);         \
            _exit(99);                                                                             \
        }                                                                                          \
    } while (0)

/* --- Children --------------------------------------------------------------------------------- */

static int open_descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    CHECK(directory != NULL);
    int number = 0;
    while (readdir(directory) != NULL) number++;
    closedir(directory);
    return number;
}

/* No descriptor that its parent did not begin with, and nothing blocked. */
static int child(void) {
    CHECK(open_descriptors() == atoi(getenv("LIFE_DESCRIPTORS")));
    sigset_t blocked;
    CHECK(sigprocmask(SIG_SETMASK, NULL, &blocked) == 0);
    for (int number = 1; number < 32; number++) CHECK(sigismember(&blocked, number) == 0);
    return 0;
}

/* Makes a child of the calling thread, which runs this program again, and waits for it. A worker
 * blocks all signals; what it runs has to begin with none blocked, as posix_spawn(3) can say. */
static void make_child(bool spawning) {
    char *const words[] = {"life", "child", NULL};
    pid_t process;
    sigset_t none;
    sigemptyset(&none);
    if (spawning) {
        posix_spawnattr_t attributes;
        CHECK(posix_spawnattr_init(&attributes) == 0);
        CHECK(posix_spawnattr_setsigmask(&attributes, &none) == 0);
        CHECK(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0);
        CHECK(posix_spawn(&process, "/proc/self/exe", NULL, &attributes, words, environ) == 0);
        posix_spawnattr_destroy(&attributes);
    } else {
        process = fork();
        CHECK(process >= 0);
        if (process == 0) {
            sigprocmask(SIG_SETMASK, &none, NULL);
            execv("/proc/self/exe", words);
            _exit(98);
        }
    }
    int ending;
    CHECK(waitpid(process, &ending, 0) == process);
    CHECK(WIFEXITED(ending) && WEXITSTATUS(ending) == 0);
    children++;
}

/* --- Handlers --------------------------------------------------------------------------------- */

static curfew_status quick(void *data, const curfew_host_api *api, curfew_task task,
                           curfew_error *error) {
    (void)data, (void)api, (void)error;
    if (forking && task % 16 == 0) make_child(false);
    return CURFEW_OK;
}

/* Works until it is told to stop; where the mode is `stubborn`, also after that. */
static curfew_status busy(void *data, const curfew_host_api *api, curfew_task task,
                          curfew_error *error) {
    (void)data, (void)error;
    entered++;
    if (strcmp(mode, "function") == 0 && entered == 2) exit(status);
    while (!api->is_expired(api, task) || strcmp(mode, "stubborn") == 0) usleep(100);
    return CURFEW_OK;
}

static void on_expired(void *data, const curfew_host_api *api, curfew_task task,
                       curfew_reason reason) {
    (void)data, (void)api, (void)task, (void)reason;
    if (strcmp(mode, "callback") == 0) exit(status);
    if (forking) make_child(true);
}

static void on_done(void *data, const curfew_event *event) {
    (void)data;
    done++;
    if (strcmp(mode, "event") == 0) exit(status);
    if (forking && event->task % 32 == 0) make_child(true);
}

static void add(const char *identifier, const char *event, curfew_run_function run,
                uint64_t budget_ns) {
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = identifier,
                                    .run = run,
                                    .expired = on_expired};
    const curfew_handler_options options = {.struct_size = sizeof options,
                                            .kind = CURFEW_KIND_APP_REFRESH,
                                            .budget_ns = budget_ns,
                                            .grace_ns = 10 * SECOND_NS,
                                            .max_concurrency = 2,
                                            .event = event};
    CHECK(curfew_host_register_handler(host, &handler, &options, NULL) == CURFEW_OK);
}

static void make_host(void) {
    CHECK(curfew_host_create(NULL, &host, NULL) == CURFEW_OK);
    add("org.example.quick", "quick", quick, 60 * SECOND_NS);
    add("org.example.busy", "busy", busy, 5000000);
    CHECK(curfew_host_observe(host, "quick_done::", on_done, NULL, NULL, NULL) == CURFEW_OK);
    CHECK(curfew_host_observe(host, "busy_done::", on_done, NULL, NULL, NULL) == CURFEW_OK);
}

/* --- Modes ------------------------------------------------------------------------------------ */

static int fork_often(bool spawning) {
    make_host();
    forking = true;
    unsigned launched = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int number = 0; number < 8; number++) {
            const char *identifier = number == 0 ? "org.example.busy" : "org.example.quick";
            if (curfew_host_launch(host, identifier, NULL, NULL, NULL) == CURFEW_OK) launched++;
        }
        make_child(spawning);
    }
    while (done < launched) usleep(1000);
    CHECK(curfew_host_destroy(host, NULL, NULL) == CURFEW_OK);
    CHECK(done == launched);
    CHECK(curfew_get_leaked_host_count() == 0);
    printf("%u tasks, %u children\n", launched, (unsigned)children);
    return 0;
}

static void destroy_at_exit(void) {
    const curfew_shutdown_options options = {.struct_size = sizeof options};
    CHECK(curfew_host_destroy(host, &options, NULL) == CURFEW_OK);
    CHECK(done > 0);
}

static void *leave(void *nothing) {
    (void)nothing;
    exit(status);
}

static int end(void) {
    make_host();
    if (strcmp(mode, "atexit") == 0) CHECK(atexit(destroy_at_exit) == 0);
    for (int number = 0; number < 200; number++) {
        curfew_host_launch(host, "org.example.busy", NULL, NULL, NULL);
        curfew_host_launch(host, "org.example.quick", NULL, NULL, NULL);
    }
    while (entered == 0) usleep(100);
    if (strcmp(mode, "exit") == 0 || strcmp(mode, "atexit") == 0) exit(status);
    if (strcmp(mode, "return") == 0 || strcmp(mode, "stubborn") == 0) return status;
    if (strcmp(mode, "quick_exit") == 0) quick_exit(status);
    if (strcmp(mode, "_exit") == 0) _exit(status);
    if (strcmp(mode, "thread") == 0) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, leave, NULL) == 0);
        pthread_exit(NULL);
    }
    /* `function`, `callback`, `event`: whoever is called ends the process. */
    for (;;) pause();
}

/* --- Events ----------------------------------------------------------------------------------- */

static long resident_kib(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%*d %ld", &pages) == 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void take(void *last, const curfew_event *event) {
    CHECK(event->values[0].integer == ++*(int64_t *)last);
    CHECK(event->sequence == (uint64_t)event->values[0].integer);
}

/* Raises what the queue has places for, and some more, a turn of 16,000 at a time, while most of the
 * memory that it fills is given back. */
static int raise_many(bool locked) {
    enum { TURN = 16000, TURNS = 9000000 / TURN };
    if (locked && mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0) {
        puts("not allowed to lock memory");
        return 0;
    }
    const curfew_host_config config = {.struct_size = sizeof config, .manual_dispatch = true};
    CHECK(curfew_host_create(&config, &host, NULL) == CURFEW_OK);
    int64_t last = 0, raised = 0;
    CHECK(curfew_host_observe(host, "number:", take, &last, NULL, NULL) == CURFEW_OK);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < TURN; i++) {
            const curfew_value value = {
                .struct_size = sizeof value, .type = CURFEW_TYPE_INT64, .integer = ++raised};
            CHECK(curfew_host_raise_event(host, "number:", &value, 1, NULL) == CURFEW_OK);
        }
        uint32_t delivered = 0;
        CHECK(curfew_host_dispatch(host, 0, &delivered, NULL) == CURFEW_OK);
        CHECK(delivered == TURN && last == raised);
    }
    CHECK(locked || resident_kib() < 32 * 1024);
    CHECK(curfew_host_destroy(host, NULL, NULL) == CURFEW_OK);
    return 0;
}

int main(int count, char **words) {
    CHECK(count >= 2);
    mode = words[1];
    status = count > 2 ? atoi(words[2]) : 0;
    if (strcmp(mode, "child") == 0) return child();
    alarm(LIMIT_S);
    char number[16];
    snprintf(number, sizeof number, "%d", open_descriptors());
    CHECK(setenv("LIFE_DESCRIPTORS", number, 1) == 0);
    if (strcmp(mode, "events") == 0) return raise_many(count > 2);
    if (strcmp(mode, "fork") == 0) return fork_often(false);
    if (strcmp(mode, "vfork") == 0) return fork_often(true);
    return end();
}
