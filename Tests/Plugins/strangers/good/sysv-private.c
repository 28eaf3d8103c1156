/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Uses private shared memory, semaphores and messages of System V, and removes each.
 */
#include "stranger.h"

#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

CURFEW_PLUGIN_NOTE();

struct letter {
    long type;
    char text[16];
};

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    curfew_status status = CURFEW_OK;
    int *number = (void *)-1;
    const int memory = shmget(IPC_PRIVATE, 4096, 0600);
    if (memory >= 0) {
        number = shmat(memory, NULL, 0);
        shmctl(memory, IPC_RMID, NULL);
    }
    const int lock = semget(IPC_PRIVATE, 1, 0600);
    const int queue = msgget(IPC_PRIVATE, 0600);
    struct letter letter = {.type = 3, .text = "by post"};
    struct sembuf up = {.sem_op = 1}, down = {.sem_op = -1};
    const struct timespec span = {0, 20000000};
    if (number == (void *)-1 || lock < 0 || queue < 0) status = failed(error, "no objects");
    else {
        *number = 5;
        if (semop(lock, &up, 1) != 0 || semtimedop(lock, &down, 1, &span) != 0)
            status = failed(error, "no semaphore");
        else if (msgsnd(queue, &letter, sizeof letter.text, IPC_NOWAIT) != 0 ||
                 msgrcv(queue, &letter, sizeof letter.text, 3, IPC_NOWAIT) < 0)
            status = failed(error, "no letter");
        while (slow && status == CURFEW_OK) {
            semtimedop(lock, &down, 1, &span);
            if (api->is_expired(api, task)) status = failed(error, "told to stop");
        }
    }
    if (queue >= 0) msgctl(queue, IPC_RMID, NULL);
    if (lock >= 0) semctl(lock, 0, IPC_RMID);
    if (number != (void *)-1) shmdt(number);
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
