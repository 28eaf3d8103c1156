/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch through what a C program writes for itself: a bounded queue with a mutex and two
 * conditions, and two workers. No deadline. Nobody is signalled who does not wait.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "../measure.h"

enum { WORKERS = 2 };

typedef int32_t (*handler_function)(void *handler_data, uint64_t task);

struct task {
    handler_function handler;
    void *handler_data;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct task tasks[IN_FLIGHT];
    uint64_t head, tail;
    int idle;       /* workers that wait for `filled` */
    bool full;      /* the launcher waits for `emptied` */
    bool is_closed; /* nothing more will come */
    uint64_t succeeded;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .filled = PTHREAD_COND_INITIALIZER,
           .emptied = PTHREAD_COND_INITIALIZER};

static int32_t empty(void *handler_data, uint64_t task) {
    (void)handler_data, (void)task;
    return 0;
}

static void launch(handler_function handler, void *handler_data) {
    pthread_mutex_lock(&queue.lock);
    while (queue.tail - queue.head == IN_FLIGHT) {
        queue.full = true;
        pthread_cond_wait(&queue.emptied, &queue.lock);
    }
    queue.tasks[queue.tail++ % IN_FLIGHT] = (struct task){handler, handler_data};
    const bool wake = queue.idle > 0;
    pthread_mutex_unlock(&queue.lock);
    if (wake) pthread_cond_signal(&queue.filled);
}

/* With the lock held. Returns false when there is nothing and nothing more will come. */
static bool wait_for_task(void) {
    while (queue.head == queue.tail) {
        if (queue.is_closed) return false;
        queue.idle++;
        pthread_cond_wait(&queue.filled, &queue.lock);
        queue.idle--;
    }
    return true;
}

static void *work(void *unused) {
    uint64_t succeeded = 0;
    pthread_mutex_lock(&queue.lock);
    while (wait_for_task()) {
        const uint64_t number = queue.head++;
        const struct task task = queue.tasks[number % IN_FLIGHT];
        /* Not for every place, or launcher and workers do nothing but wake each other. */
        const bool wake = queue.full && queue.tail - queue.head <= IN_FLIGHT / 2;
        if (wake) queue.full = false;
        pthread_mutex_unlock(&queue.lock);
        if (wake) pthread_cond_signal(&queue.emptied);
        if (task.handler(task.handler_data, number + 1) == 0) succeeded++;
        pthread_mutex_lock(&queue.lock);
    }
    queue.succeeded += succeeded;
    pthread_mutex_unlock(&queue.lock);
    return unused;
}

int main(void) {
    alarm(60); /* rather than hang */
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        const int fault = pthread_create(&workers[i], NULL, work, NULL);
        if (fault != 0) fail("dispatch/pthread: no thread: %s", strerror(fault));
    }

    const uint64_t started = now_ns();
    for (int i = 0; i < TASKS; i++) launch(empty, NULL);
    pthread_mutex_lock(&queue.lock);
    queue.is_closed = true;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    const uint64_t ended = now_ns();

    if (queue.succeeded != TASKS)
        fail("dispatch/pthread: %" PRIu64 " of %d tasks succeeded", queue.succeeded, TASKS);
    print_ns_per_task(started, ended);
    return 0;
}
