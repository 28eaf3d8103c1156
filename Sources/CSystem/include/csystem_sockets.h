/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_sockets.h: Unix sockets by the directory that they are in, whose path may be longer than a
 * socket's address.
 */
#ifndef CSYSTEM_SOCKETS_H
#define CSYSTEM_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

/* Makes a socket with that name, in place of an older socket, and listens. `mode` are its permissions.
 * Returns a descriptor or the negative errno; -EEXIST if something that is no socket has the name. */
int32_t csys_socket_listen(int32_t directory, const char *name, uint32_t mode);
/* Removes the name, if it is a socket's. */
void csys_socket_remove(int32_t directory, const char *name);
/* Returns a descriptor or the negative errno. */
int32_t csys_socket_connect(int32_t directory, const char *name);
/* Returns a descriptor, which does not block, or the negative errno. */
int32_t csys_socket_accept(int32_t listener);
/* The user, group and process that called connect(2); see SO_PEERCRED in unix(7). */
bool csys_socket_peer(int32_t socket, uint32_t *user, uint32_t *group, int32_t *process);
/* The supplementary groups of that process; see SO_PEERGROUPS. Returns their number, of which as many as fit were
 * written, or 0 where the kernel does not say. */
int32_t csys_socket_peer_groups(int32_t socket, uint32_t *groups, int32_t capacity);
/* Whether all that was sent has been read, and nothing more will come. */
bool csys_socket_is_at_end(int32_t socket);
/* Whether the other side is closed in both directions. */
bool csys_socket_is_gone(int32_t socket);
/* Ends both directions; what waits on the socket sees its end. */
void csys_socket_shut(int32_t socket);

#endif /* CSYSTEM_SOCKETS_H */
