/* SPDX-License-Identifier: Apache-2.0 */
/* slip.h: what the handler `pending` leaves for pending.c. */
#ifndef CURFEW_BENCH_SLIP_H
#define CURFEW_BENCH_SLIP_H

#include <curfew/plugin.h>
#include <stdatomic.h>

/*
 * The payload of a task is the address of one of these, which belongs to the launcher: plugin and
 * launcher share a process here, and the launcher completes tasks as a thread of the plugin's
 * would. No plugin that does real work should pass addresses this way.
 */
struct growth_slip {
    const curfew_host_api *api; /* the plugin's table */
    _Atomic uint64_t entered;   /* how many tasks have; the handler runs one at a time */
};

#endif /* CURFEW_BENCH_SLIP_H */
