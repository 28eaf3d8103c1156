/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that arming and cancelling can cost: a hierarchical timing wheel (six bits a level, a
 * tick of 2^20 ns) of nodes that lie in an array and are linked into the buckets.
 *
 *     limit mutex | plain
 *
 * mutex: every arming and every cancelling has the wheel's mutex for itself, as it must when tasks
 * begin on one thread and end on another. plain: no mutex.
 *
 * Time is not read but counted, 100 ns from one arming to the next. Nobody waits for the wheel, and
 * nobody is woken for it.
 */
#include <pthread.h>
#include <string.h>

#include "deadlines.h"

enum { LEVELS = 8, NODES = ARMED + IN_FLIGHT, TICK_SHIFT = 20, ROUNDS = 10 };

struct node {
    struct node *next, **back; /* `back`: what points to this node */
    uint64_t deadline;
    uint32_t bucket;
};

static struct {
    struct node *heads[LEVELS * 64];
    uint64_t occupied[LEVELS]; /* by which a watcher finds the earliest bucket */
    uint64_t tick;
} wheel;

static struct node nodes[NODES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t now;

static void arm(struct node *node, uint64_t deadline) {
    /* The highest digit in which the ticks differ; an armed deadline is never of this tick. */
    const uint64_t tick = deadline >> TICK_SHIFT;
    const uint32_t level = (uint32_t)(63 - __builtin_clzll(tick ^ wheel.tick)) / 6;
    const uint32_t digit = (uint32_t)(tick >> 6 * level) & 63;
    struct node **head = &wheel.heads[level * 64 + digit];
    node->deadline = deadline;
    node->bucket = level * 64 + digit;
    node->next = *head;
    node->back = head;
    if (*head != NULL) (*head)->back = &node->next;
    *head = node;
    wheel.occupied[level] |= UINT64_C(1) << digit;
}

static void cancel(struct node *node) {
    *node->back = node->next;
    if (node->next != NULL) node->next->back = node->back;
    if (wheel.heads[node->bucket] == NULL)
        wheel.occupied[node->bucket / 64] &= ~(UINT64_C(1) << node->bucket % 64);
}

static void arm_next(struct node *node) { arm(node, (now += 100) + BUDGET_NS); }

static void make_pairs_plain(void) {
    for (int i = 0; i < ROUNDS * PAIRS; i++) {
        struct node *node = &nodes[ARMED + i % IN_FLIGHT];
        cancel(node);
        arm_next(node);
    }
}

static void make_pairs_with_mutex(void) {
    for (int i = 0; i < ROUNDS * PAIRS; i++) {
        struct node *node = &nodes[ARMED + i % IN_FLIGHT];
        pthread_mutex_lock(&mutex);
        cancel(node);
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        arm_next(node);
        pthread_mutex_unlock(&mutex);
    }
}

/* Everything is where it belongs, and nothing is armed twice. */
static void check(void) {
    int count = 0;
    for (uint32_t bucket = 0; bucket < LEVELS * 64; bucket++) {
        const bool occupied = wheel.occupied[bucket / 64] >> bucket % 64 & 1;
        if (occupied != (wheel.heads[bucket] != NULL)) fail("limit: bucket %u", bucket);
        for (const struct node *node = wheel.heads[bucket]; node != NULL; node = node->next) {
            if (node->bucket != bucket || node->deadline <= now) fail("limit: a wrong node");
            count++;
        }
    }
    if (count != NODES) fail("limit: %d deadlines are armed, not %d", count, NODES);
}

static void *idle(void *held) {
    pthread_mutex_lock(held);
    return NULL;
}

int main(int argc, char **argv) {
    const bool with_mutex = argc == 2 && strcmp(argv[1], "mutex") == 0;
    if (!with_mutex && (argc != 2 || strcmp(argv[1], "plain") != 0))
        fail("usage: limit mutex | plain");
    /* A second thread: with one alone the C library's mutex does without atomic instructions. */
    static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&held);
    pthread_t thread;
    if (pthread_create(&thread, NULL, idle, &held) != 0) fail("limit: no thread");

    now = now_ns();
    wheel.tick = now >> TICK_SHIFT;
    for (int i = 0; i < NODES; i++) arm_next(&nodes[i]);
    const uint64_t started = now_ns();
    if (with_mutex)
        make_pairs_with_mutex();
    else
        make_pairs_plain();
    const uint64_t ended = now_ns();
    check();
    print_ns_per_pair(started, ended, ROUNDS * PAIRS);
    pthread_mutex_unlock(&held);
    pthread_join(thread, NULL);
    return 0;
}
