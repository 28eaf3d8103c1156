/* SPDX-License-Identifier: Apache-2.0 */
/* A view of its own of what processes share by name, for looking at what stays there. */
#ifndef CSYSTEM_PRIVATE_OBJECTS_H
#define CSYSTEM_PRIVATE_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on the calling thread, and those that it starts, see an empty /dev/shm, no objects of
 * System V and no message queues, and of a directory for temporary files only those entries that are
 * named. The objects of other processes are as they were, and what is made here is gone with this
 * process.
 *
 * directory: /tmp, or another one without symbolic links.
 * queues:    an empty directory, in which message queues are shown where the kernel has them.
 *
 * Called while the process has one thread. Returns false where the machine does not permit it; then
 * the process is of no use.
 */
bool csys_private_objects(const char *directory, const char *const *names, uint32_t count,
                          const char *queues);

#endif /* CSYSTEM_PRIVATE_OBJECTS_H */
