/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <string.h>
#include <sys/socket.h>

/* The descriptors of an order on their way. */
typedef union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(csys_descriptors_max * sizeof(int))];
} passed_descriptors;

int receive_order(int socket, order *given) {
    int sent[csys_descriptors_max];
    passed_descriptors passed;
    struct iovec data = {&given->request, sizeof given->request};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &passed,
                             .msg_controllen = sizeof passed};
    ssize_t length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (length < 0) return errno == EINTR || errno == EAGAIN ? received_nothing : received_end;
    unsigned number = 0;
    if (message.msg_controllen >= sizeof(struct cmsghdr)) {
        number = (unsigned)((passed.header.cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(sent, CMSG_DATA(&passed.header), number * sizeof(int));
    }
    csys_request *request = &given->request;
    unsigned wanted = 2 + (unsigned)__builtin_popcount(request->places) + request->rule_count;
    bool is_whole = length == (ssize_t)sizeof *request && request->kind != csys_request_stop &&
                    request->rule_count <= csys_rules_max && request->port_count <= csys_ports_max &&
                    request->places < 1U << csys_place_count && number == wanted;
    if (!is_whole) {
        if (number > 0) report_failure(sent[0], csys_failure_descriptors, EMFILE);
        for (unsigned index = 0; index < number; index++) close(sent[index]);
        return length == (ssize_t)sizeof *request && request->kind != csys_request_stop
                   ? received_nothing
                   : received_end;
    }
    unsigned next = 0;
    given->control = sent[next++];
    given->text = sent[next++];
    for (int index = 0; index < csys_place_count; index++)
        given->places[index] = request->places & 1U << index ? sent[next++] : -1;
    for (unsigned index = 0; index < csys_rules_max; index++)
        given->rules[index] = index < request->rule_count ? sent[next++] : -1;
    return received_order;
}

bool send_order(int socket, const order *given) {
    passed_descriptors passed;
    memset(&passed, 0, sizeof passed);
    int *sent = (int *)(void *)CMSG_DATA(&passed.header);
    unsigned number = 0;
    sent[number++] = given->control;
    sent[number++] = given->text;
    for (int index = 0; index < csys_place_count; index++)
        if (given->places[index] >= 0) sent[number++] = given->places[index];
    for (unsigned index = 0; index < given->request.rule_count; index++)
        sent[number++] = given->rules[index];
    passed.header.cmsg_level = SOL_SOCKET;
    passed.header.cmsg_type = SCM_RIGHTS;
    passed.header.cmsg_len = CMSG_LEN(number * sizeof(int));
    struct iovec data = {(void *)&given->request, sizeof given->request};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &passed,
                             .msg_controllen = CMSG_SPACE(number * sizeof(int))};
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof given->request;
}

void close_contents(const order *given) {
    close_if_open(given->text);
    for (int index = 0; index < csys_place_count; index++) close_if_open(given->places[index]);
    for (int index = 0; index < csys_rules_max; index++) close_if_open(given->rules[index]);
}
