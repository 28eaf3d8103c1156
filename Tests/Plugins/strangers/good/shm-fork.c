/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Shares memory with a forked child by shm_open, whose name it removes at once, and semaphores in
 * it.
 *
 * flags: -lrt
 */
#include "stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>

CURFEW_PLUGIN_NOTE();

struct shared {
    sem_t ask, reply;
    int number;
};

static struct shared *share(void) {
    char name[64];
    uint64_t unique;
    if (getrandom(&unique, sizeof unique, 0) != (ssize_t)sizeof unique) return NULL;
    snprintf(name, sizeof name, "/f-shm-fork-%016llx", (unsigned long long)unique);
    const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0) return NULL;
    shm_unlink(name);
    struct shared *shared = MAP_FAILED;
    if (posix_fallocate(fd, 0, sizeof *shared) == 0)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return shared == MAP_FAILED ? NULL : shared;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct shared *shared = share();
    if (shared == NULL) return failed(error, "no shared memory");
    sem_init(&shared->ask, 1, 0);
    sem_init(&shared->reply, 1, 0);
    const pid_t child = fork();
    if (child == 0) {
        while (sem_wait(&shared->ask) != 0)
            if (errno != EINTR) _exit(1);
        shared->number *= 2;
        sem_post(&shared->reply);
        _exit(0);
    }
    curfew_status status = CURFEW_OK;
    if (child < 0) status = failed(error, "no child");
    else {
        while (slow && !api->is_expired(api, task)) pause_ms(5);
        shared->number = 21;
        sem_post(&shared->ask);
        for (int round = 0; sem_trywait(&shared->reply) != 0; round++) {
            pause_ms(1);
            if (round == (slow ? 200 : 4000)) {
                status = failed(error, "the child does not answer");
                break;
            }
        }
        if (status == CURFEW_OK && shared->number != 42) status = failed(error, "a wrong number");
        if (status == CURFEW_OK && slow) status = failed(error, "told to stop");
        if (status != CURFEW_OK) kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    sem_destroy(&shared->ask);
    sem_destroy(&shared->reply);
    munmap(shared, sizeof *shared);
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
