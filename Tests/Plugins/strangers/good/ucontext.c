/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Alternates between two coroutines on stacks of its own with makecontext and swapcontext.
 */
#include "stranger.h"

#include <stdint.h>
#include <ucontext.h>

CURFEW_PLUGIN_NOTE();

enum { STACK = 64 * 1024 };

struct generator {
    ucontext_t caller, own;
    unsigned long value;
    bool ends;
};

static void generate(unsigned high, unsigned low) {
    struct generator *generator = (void *)(uintptr_t)((uint64_t)high << 32 | low);
    unsigned long a = 0, b = 1;
    while (!generator->ends) {
        generator->value = a;
        swapcontext(&generator->own, &generator->caller);
        const unsigned long sum = a + b;
        a = b;
        b = sum;
    }
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    char *stack = malloc(STACK);
    struct generator *generator = calloc(1, sizeof *generator);
    if (stack == NULL || generator == NULL || getcontext(&generator->own) != 0) {
        free(generator);
        free(stack);
        return failed(error, "no memory for the coroutine");
    }
    generator->own.uc_stack.ss_sp = stack;
    generator->own.uc_stack.ss_size = STACK;
    generator->own.uc_link = &generator->caller;
    const uint64_t place = (uint64_t)(uintptr_t)generator;
    makecontext(&generator->own, (void (*)(void))generate, 2, (unsigned)(place >> 32),
                (unsigned)place);
    for (int i = 0; slow || i <= 30; i++) {
        swapcontext(&generator->caller, &generator->own);
        if (slow) pause_ms(1);
        if (slow && api->is_expired(api, task)) break;
    }
    const unsigned long value = generator->value;
    generator->ends = true;
    swapcontext(&generator->caller, &generator->own);
    free(generator);
    free(stack);
    if (slow) return failed(error, "told to stop");
    return value == 832040 ? CURFEW_OK : failed(error, "a wrong number");
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
