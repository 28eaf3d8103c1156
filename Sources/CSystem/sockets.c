/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "csystem_sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* The address of a name in a directory. Returns false if the name is too long. */
static bool address_of(int32_t directory, const char *name, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s",
                          directory, name);
    return length > 0 && (size_t)length < sizeof address->sun_path;
}

static int32_t open_socket(void) {
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return file < 0 ? -errno : file;
}

static int32_t close_with(int32_t file, int32_t error) {
    close(file);
    return -error;
}

int32_t csys_socket_listen(int32_t directory, const char *name, uint32_t mode) {
    struct sockaddr_un address;
    struct stat status;
    if (!address_of(directory, name, &address)) return -ENAMETOOLONG;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        if (!S_ISSOCK(status.st_mode)) return -EEXIST;
        if (unlinkat(directory, name, 0) != 0) return -errno;
    }
    int32_t file = open_socket();
    if (file < 0) return file;
    fcntl(file, F_SETFL, O_NONBLOCK);
    if (bind(file, (struct sockaddr *)&address, sizeof address) != 0) return close_with(file, errno);
    /* Clients cannot connect before listen(2), so the permissions count from the start. */
    if (fchmodat(directory, name, mode, 0) != 0 || listen(file, SOMAXCONN) != 0)
        return close_with(file, errno);
    return file;
}

void csys_socket_remove(int32_t directory, const char *name) {
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(status.st_mode))
        unlinkat(directory, name, 0);
}

int32_t csys_socket_connect(int32_t directory, const char *name) {
    struct sockaddr_un address;
    if (!address_of(directory, name, &address)) return -ENAMETOOLONG;
    int32_t file = open_socket();
    if (file < 0) return file;
    /* connect(2) waits without a limit where nobody accepts and the queue is full: EAGAIN after this time. */
    struct timeval limit = {.tv_sec = 2};
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    int result;
    do result = connect(file, (struct sockaddr *)&address, sizeof address);
    while (result != 0 && errno == EINTR);
    return result == 0 ? file : close_with(file, errno);
}

int32_t csys_socket_accept(int32_t listener) {
    int file;
    do file = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (file < 0 && (errno == EINTR || errno == ECONNABORTED));
    return file < 0 ? -errno : file;
}

bool csys_socket_peer(int32_t socket, uint32_t *user, uint32_t *group, int32_t *process) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
    *user = peer.uid;
    *group = peer.gid;
    *process = peer.pid;
    return true;
}

int32_t csys_socket_peer_groups(int32_t socket, uint32_t *groups, int32_t capacity) {
    socklen_t length = (socklen_t)capacity * sizeof(gid_t);
    /* ERANGE says the length that is needed. Before Linux 4.13 there is no such option. */
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0 && errno != ERANGE) return 0;
    return (int32_t)(length / sizeof(gid_t));
}

bool csys_socket_is_at_end(int32_t socket) {
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

bool csys_socket_is_gone(int32_t socket) {
    struct pollfd wait = {socket, 0, 0};
    return poll(&wait, 1, 0) > 0 && (wait.revents & (POLLHUP | POLLERR)) != 0;
}

void csys_socket_shut(int32_t socket) { shutdown(socket, SHUT_RDWR); }
