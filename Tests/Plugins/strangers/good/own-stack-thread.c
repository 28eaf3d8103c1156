/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Works in a thread of its own with a mapped stack, a name, an affinity and all signals blocked,
 * and joins it.
 */
#include "stranger.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

CURFEW_PLUGIN_NOTE();

enum { STACK = 512 * 1024 };

struct job {
    const curfew_host_api *api;
    curfew_task task;
    bool slow;
    unsigned long sum;
};

static void *work(void *argument) {
    struct job *job = argument;
    /* All of these are of this thread alone. */
    pthread_setname_np(pthread_self(), "f-own-stack");
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 5);
    cpu_set_t all, first;
    if (pthread_getaffinity_np(pthread_self(), sizeof all, &all) == 0) {
        CPU_ZERO(&first);
        for (int i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &all)) {
                CPU_SET(i, &first);
                break;
            }
        pthread_setaffinity_np(pthread_self(), sizeof first, &first);
    }
    unsigned char room[64 * 1024];
    memset(room, 3, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
    for (size_t i = 0; i < sizeof room; i++) job->sum += room[i];
    while (job->slow && !job->api->is_expired(job->api, job->task)) pause_ms(5);
    return NULL;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct job job = {.api = api, .task = task, .slow = slow};
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return failed(error, "no stack");
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        munmap(stack, STACK);
        return failed(error, "no attributes");
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_t thread;
    int fault = pthread_attr_setstack(&attributes, stack, STACK);
    if (fault == 0) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        fault = pthread_create(&thread, &attributes, work, &job);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    if (fault == 0) pthread_join(thread, NULL);
    munmap(stack, STACK);
    if (fault != 0) return failed(error, "no thread");
    if (slow) return failed(error, "told to stop");
    return job.sum == 3ul * 64 * 1024 ? CURFEW_OK : failed(error, "a wrong sum");
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
