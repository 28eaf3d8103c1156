/* SPDX-License-Identifier: Apache-2.0 */
/* libdispatch in a process without descriptors. */
#ifndef CSYSTEM_DISPATCH_MONITOR_H
#define CSYSTEM_DISPATCH_MONITOR_H

/*
 * From now on each libdispatch in this process can look at its threads although no descriptor is left.
 *
 * On Linux, while its global pool has more than it can do, it reads the stat file in /proc of each thread of the pool
 * once a second, and ends the process (SIGILL) where it cannot open one: _dispatch_workq_count_runnable_workers in its
 * src/event/workqueue.c. That is no fault of the library that it is linked into.
 */
void csys_spare_dispatch_monitor(void);

#endif /* CSYSTEM_DISPATCH_MONITOR_H */
