/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Passes a descriptor to itself over a pair of sockets, with the credentials of the sender.
 */
#include "stranger.h"

#include <fcntl.h>
#include <sys/socket.h>

CURFEW_PLUGIN_NOTE();

static bool give(int socket, int fd) {
    char byte = 'x';
    struct iovec piece = {&byte, 1};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {0};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

static int take(int socket) {
    char byte;
    struct iovec piece = {&byte, 1};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = sizeof control};
    int fd = -1;
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1) return -1;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head != NULL && head->cmsg_type == SCM_RIGHTS) memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return fd;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    int pair[2], ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return failed(error, "no sockets");
    if (pipe2(ends, O_CLOEXEC) != 0) {
        close(pair[0]);
        close(pair[1]);
        return failed(error, "no pipe");
    }
    curfew_status status = CURFEW_OK;
    struct ucred peer;
    socklen_t bytes = sizeof peer;
    if (getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || peer.pid != getpid())
        status = failed(error, "somebody else is at the other end");
    while (status == CURFEW_OK) {
        const int fd = give(pair[0], ends[1]) ? take(pair[1]) : -1;
        char byte = 0;
        if (fd < 0) status = failed(error, "no descriptor arrived");
        else {
            if (write(fd, "k", 1) != 1 || read(ends[0], &byte, 1) != 1 || byte != 'k')
                status = failed(error, "it is another pipe");
            close(fd);
        }
        if (!slow) break;
        pause_ms(5);
        if (api->is_expired(api, task)) status = failed(error, "told to stop");
    }
    for (int i = 0; i < 2; i++) {
        close(pair[i]);
        close(ends[i]);
    }
    return status;
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
