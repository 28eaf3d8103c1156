/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch through oneTBB: an arena with two workers. No deadline.
 *
 *     dispatch/tbb enqueue | group
 *
 * enqueue: task_arena::enqueue; only the workers run tasks, as in all other programs. group:
 * task_group::run, where the launcher belongs to the arena as a third one: the workers steal from
 * it, and where it would have to wait it runs tasks itself. That is how TBB is meant to be used,
 * and no hand-over for most of the tasks.
 *
 * An arena has no bound; the launcher holds itself to IN_FLIGHT tasks not yet over.
 */
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "../measure.h"

namespace {

constexpr int workers = 2;

alignas(64) std::atomic<uint64_t> over;

const auto empty = [] { over.fetch_add(1, std::memory_order_release); };

/* Calls `wait` until there is room for one more than the `launched` ones. */
template <typename Wait>
void wait_for_room(uint64_t launched, uint64_t &seen, const Wait &wait) {
    while (launched - seen >= IN_FLIGHT) {
        seen = over.load(std::memory_order_acquire);
        if (launched - seen >= IN_FLIGHT) wait();
    }
}

void enqueue_all() {
    tbb::task_arena arena(workers, /* reserved for launchers */ 0);
    uint64_t seen = 0;
    for (uint64_t i = 0; i < TASKS; i++) {
        wait_for_room(i, seen, sched_yield);
        arena.enqueue(empty);
    }
    while (over.load(std::memory_order_acquire) < TASKS) sched_yield();
}

void run_all() {
    tbb::task_arena arena(workers + 1, /* reserved for launchers */ 1);
    arena.execute([] {
        tbb::task_group group;
        uint64_t seen = 0;
        for (uint64_t i = 0; i < TASKS; i++) {
            wait_for_room(i, seen, [&group] { group.wait(); });
            group.run(empty);
        }
        group.wait();
    });
}

}  // namespace

int main(int count, char **arguments) {
    alarm(60); /* rather than hang */
    const char *variant = count == 2 ? arguments[1] : "";
    const bool group = std::strcmp(variant, "group") == 0;
    if (!group && std::strcmp(variant, "enqueue") != 0)
        fail("usage: dispatch/tbb enqueue | group");
    /* The default is one worker less than there are cores. */
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, workers + 1);

    const uint64_t started = now_ns();
    if (group)
        run_all();
    else
        enqueue_all();
    const uint64_t ended = now_ns();

    if (over != TASKS) fail("dispatch/tbb: %" PRIu64 " of %d tasks over", over.load(), TASKS);
    print_ns_per_task(started, ended);
    return 0;
}
