/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Talks to itself over TCP on the loopback address, whose numeric name getaddrinfo resolves.
 */
#include "stranger.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

CURFEW_PLUGIN_NOTE();

static int listen_there(struct sockaddr_storage *address, socklen_t *bytes) {
    const struct addrinfo hints = {.ai_family = AF_INET,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    if (getaddrinfo("127.0.0.1", "0", &hints, &found) != 0) return -1;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 1) != 0 ||
                    getsockname(fd, (struct sockaddr *)address, bytes) != 0)) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

static bool readable(int fd, int milliseconds) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, milliseconds) == 1;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    struct sockaddr_storage address;
    socklen_t bytes = sizeof address;
    const int listener = listen_there(&address, &bytes);
    if (listener < 0) return failed(error, "no socket to listen on");
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int server = -1;
    const int yes = 1;
    const char *fault = "no connection";
    if (client >= 0 && connect(client, (struct sockaddr *)&address, bytes) == 0 &&
        readable(listener, 2000))
        server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (server >= 0) {
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        fault = NULL;
        do {
            char word[16];
            if (send(client, "ping", 4, MSG_NOSIGNAL) != 4 || !readable(server, 2000) ||
                recv(server, word, sizeof word, MSG_WAITALL | MSG_DONTWAIT) != 4 ||
                send(server, word, 4, MSG_NOSIGNAL) != 4 || !readable(client, 2000) ||
                recv(client, word, sizeof word, 0) != 4 || memcmp(word, "ping", 4) != 0)
                fault = "the echo did not come back";
            else if (slow) pause_ms(5);
            if (slow && api->is_expired(api, task)) fault = "told to stop";
        } while (slow && fault == NULL);
        shutdown(client, SHUT_RDWR);
        close(server);
    }
    if (client >= 0) close(client);
    close(listener);
    return fault == NULL ? CURFEW_OK : failed(error, fault);
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
