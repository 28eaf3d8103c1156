/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Runs a generator on a stack of its own with swapcontext, which goes to its end before the
 * stack is unmapped.
 */
#include "stranger.h"

#include <errno.h>
#include <sys/mman.h>
#include <ucontext.h>

CURFEW_PLUGIN_NOTE();

struct generator {
    ucontext_t inside, outside;
    int value;
};

static void generate(unsigned low, unsigned high) {
    struct generator *self = (struct generator *)((uintptr_t)high << 32 | low);
    for (int i = 1; i <= 10; i++) {
        self->value = i * i;
        swapcontext(&self->inside, &self->outside);
    }
    self->value = -1;
}

static curfew_status work(curfew_error *error) {
    const size_t size = 128 * 1024;
    void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return failed(error, strerror(errno));
    struct generator self = {.value = 0};
    uintptr_t address = (uintptr_t)&self;
    getcontext(&self.inside);
    self.inside.uc_stack.ss_sp = stack;
    self.inside.uc_stack.ss_size = size;
    self.inside.uc_link = &self.outside;
    makecontext(&self.inside, (void (*)(void))generate, 2, (unsigned)address,
                (unsigned)(address >> 32));
    int sum = 0;
    while (swapcontext(&self.outside, &self.inside) == 0 && self.value >= 0) sum += self.value;
    munmap(stack, size);
    return sum == 385 ? CURFEW_OK : failed(error, "a square is missing");
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    if (payload_is(&info, "slow")) {
        while (!api->is_expired(api, task)) pause_ms(1);
        return failed(error, "told to stop");
    }
    return work(error);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.example.stranger.work", .run = run};
    return api->register_handler(api, &handler, error);
}
