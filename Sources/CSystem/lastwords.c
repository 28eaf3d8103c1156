/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_last_words.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "csystem.h"

static _Thread_local struct {
    csys_phase phase;
    uint64_t task;
    uint64_t cpu_before_ns;
} here;

static csys_last_words *page;
static uint64_t process;
/* Two threads may die at once; the first one has the word. */
static atomic_flag is_said = ATOMIC_FLAG_INIT;

void csys_phase_set(csys_phase phase, uint64_t task) {
    here.task = task;
    here.phase = phase;
}

void csys_phase_function_begins(uint64_t task, uint64_t cpu_before_ns) {
    here.cpu_before_ns = cpu_before_ns;
    csys_phase_set(csys_phase_function, task);
}

uint64_t csys_phase_function_cpu_ns(uint64_t task) {
    const bool is_inside = here.phase == csys_phase_function && here.task == task;
    return is_inside && here.cpu_before_ns != 0 ? csys_thread_cpu_ns() - here.cpu_before_ns : 0;
}

/* In a fork the page is not mapped, and its end is not that of the plugin's process. */
static bool is_first(void) {
    return csys_is_process(process) && !atomic_flag_test_and_set(&is_said);
}

static void say(uint32_t kind, csys_last_words words) {
    words.phase = here.phase;
    words.task = here.task;
    *page = words;
    __atomic_store_n(&page->kind, kind, __ATOMIC_RELEASE);
}

static void signalled(int number, siginfo_t *info, void *context) {
    const bool is_fault = info->si_code > 0;
    const bool is_own = is_fault || info->si_pid == getpid();
    if (is_own && is_first()) {
        csys_last_words words = {.signal = number};
        words.overflow = number == SIGSEGV && is_fault && csys_is_stack_overflow(info, context);
        /* The processor names no address where it was none that can be. */
        words.has_address = (number == SIGSEGV || number == SIGBUS) && is_fault && info->si_code != SI_KERNEL;
        if (words.has_address) words.address = (uint64_t)(uintptr_t)info->si_addr;
        say(csys_words_signal, words);
    }
    /* It has its default action again, and is not blocked. */
    raise(number);
}

static void exited(void) {
    if (is_first()) say(csys_words_exit, (csys_last_words){0});
}

void csys_last_words_take(csys_last_words *words) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    page = words;
    process = csys_process_mark();
    csys_use_signal_stacks();
    for (unsigned index = 0; index < sizeof signals / sizeof signals[0]; index++) {
        struct sigaction action;
        /* A sanitizer may have one. */
        if (sigaction(signals[index], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action = (struct sigaction){.sa_sigaction = signalled,
                                    .sa_flags = (int)SA_RESETHAND | SA_NODEFER | SA_ONSTACK | SA_SIGINFO};
        sigaction(signals[index], &action, NULL);
    }
    atexit(exited);
    at_quick_exit(exited);
}
