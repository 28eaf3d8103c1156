/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "curfew_child.h"

#include <string.h>
#include <sys/socket.h>

static void tell(const beginning *child, const child_note *note) {
    while (write(child->told, note, sizeof *note) < 0 && errno == EINTR) {
    }
}

void tell_features(const beginning *child) {
    const child_note note = {.features = child->features};
    tell(child, &note);
}

void report_confined(const beginning *child, int control) {
    const csys_child_report report = {.kind = csys_report_started, .features = child->features};
    /* unix(7): the kernel translates the process id into that of the receiver's namespace. */
    struct ucred sender = {getpid(), getuid(), getgid()};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof sender)];
    } passed;
    memset(&passed, 0, sizeof passed);
    struct iovec data = {(void *)&report, sizeof report};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &passed,
                             .msg_controllen = sizeof passed};
    passed.header.cmsg_level = SOL_SOCKET;
    passed.header.cmsg_type = SCM_CREDENTIALS;
    passed.header.cmsg_len = CMSG_LEN(sizeof sender);
    memcpy(CMSG_DATA(&passed.header), &sender, sizeof sender);
    if (sendmsg(control, &message, MSG_NOSIGNAL) < 0)
        send(control, &report, sizeof report, MSG_NOSIGNAL);
}

void report_failure(int control, uint32_t failure, int error) {
    const csys_child_report report = {
        .kind = csys_report_failed, .value = error, .failure = failure};
    send(control, &report, sizeof report, MSG_NOSIGNAL);
}

void fail(const beginning *child, uint32_t failure) {
    const child_note note = {.failure = failure, .error = errno};
    tell(child, &note);
    _exit(127);
}
