/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_last_words.h: what a plugin's process writes when it dies, in memory that its host maps.
 */
#ifndef CSYSTEM_LAST_WORDS_H
#define CSYSTEM_LAST_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* The part of the plugin that a thread executes. */
typedef enum csys_phase {
    csys_phase_own_thread, /* one that the plugin has started */
    csys_phase_idle,
    csys_phase_constructor,
    csys_phase_entry,
    csys_phase_function,
    csys_phase_callback,
    csys_phase_sub,
    csys_phase_retire,
} csys_phase;

enum {
    csys_words_none,
    csys_words_signal,
    csys_words_exit, /* exit(3) was called; with which status the process' end says */
};

typedef struct csys_last_words {
    uint32_t kind; /* stored last */
    int32_t signal;
    uint32_t phase;    /* csys_phase of the thread that died */
    uint32_t overflow; /* 1: its stack had overflowed */
    uint32_t has_address;
    uint32_t reserved;
    uint64_t address; /* whose access faulted */
    uint64_t task;
} csys_last_words;

/* Installs handlers for the signals that end a process, and for exit(3). The first thread that dies writes
 * its signal, address, phase and task to `words`, which stays mapped. A signal that has another action, or
 * that another process has sent, writes nothing. Threads of csys_thread_start get alternate signal
 * stacks. */
void csys_last_words_take(csys_last_words *words);

/* Sets the phase of the calling thread, and its task, or 0. */
void csys_phase_set(csys_phase phase, uint64_t task);
/* Sets the phase before the calling thread calls the function of a task. `cpu_before_ns` is the processor
 * time that the thread has used so far, or 0 where it is not measured. */
void csys_phase_function_begins(uint64_t task, uint64_t cpu_before_ns);
/* Returns the processor time in ns that the function of the task has used, if the calling thread executes
 * it; otherwise 0. */
uint64_t csys_phase_function_cpu_ns(uint64_t task);

#endif /* CSYSTEM_LAST_WORDS_H */
