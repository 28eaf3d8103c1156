/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durable requests over the control socket of `curfew serve`, with a store on disk.
 *
 *     socket CALLERS COUNT BATCH CURFEW STORE
 *
 * Each caller has a connection, and submits COUNT / CALLERS requests with a payload of 100 bytes, BATCH in a call; it
 * has the answer before its next call. Nothing of it is due. STORE must not exist. The host is started
 * before time counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../measure.h"

enum { MOST_CALLERS = 1024, MOST_BYTES = 1 << 16 };

static struct sockaddr_un place = {.sun_family = AF_UNIX};
static int each, batch;

static int connect_to_host(void) {
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) fail("socket: %s", strerror(errno));
    if (connect(file, (struct sockaddr *)&place, sizeof place) == 0) return file;
    close(file);
    return -1;
}

/* Submits what curfew.c submits, so that the two can be compared. */
static int put_request(char *text, size_t room) {
    return snprintf(text, room,
                    "{\"identifier\":\"org.example.parallel\",\"after\":\"1d\",\"payload\":\"%-100s\"}",
                    "as large as a small job");
}

static void *call(void *data) {
    (void)data;
    static const char head[] = "POST /v1/requests%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               "application/json\r\nContent-Length: %d\r\n\r\n";
    char *body = malloc(MOST_BYTES), *message = malloc(MOST_BYTES + 256), *answer = malloc(MOST_BYTES);
    int length = 0;
    if (batch == 1) {
        length = put_request(body, MOST_BYTES);
    } else {
        length = snprintf(body, MOST_BYTES, "{\"items\":[");
        for (int i = 0; i < batch; i++) {
            if (i > 0) body[length++] = ',';
            length += put_request(body + length, (size_t)(MOST_BYTES - length));
        }
        length += snprintf(body + length, (size_t)(MOST_BYTES - length), "]}");
    }
    int bytes = snprintf(message, 256, head, batch == 1 ? "" : ":batch", length);
    memcpy(message + bytes, body, (size_t)length);
    bytes += length;
    int file = connect_to_host();
    if (file < 0) fail("not connected: %s", strerror(errno));
    const char *wanted = batch == 1 ? "HTTP/1.1 201" : "HTTP/1.1 200";
    for (int i = 0; i < each / batch; i++) {
        if (send(file, message, (size_t)bytes, MSG_NOSIGNAL) != bytes) fail("not sent");
        /* An answer ends with a line feed, and has none before in its body. */
        int got = 0;
        do {
            /* As curl and Python's clients do it, which have time limits. Linux wakes who sleeps in recv(2) also
             * when the host has read the request, and who polls not. */
            struct pollfd readable = {.fd = file, .events = POLLIN};
            if (poll(&readable, 1, -1) != 1) fail("poll: %s", strerror(errno));
            ssize_t part = recv(file, answer + got, (size_t)(MOST_BYTES - 1 - got), 0);
            if (part <= 0) fail("no answer");
            got += (int)part;
        } while (answer[got - 1] != '\n' || answer[got - 2] == '\r');
        answer[got] = 0;
        if (strncmp(answer, wanted, strlen(wanted)) != 0 || strstr(answer, "error") != NULL)
            fail("refused: %s", answer);
    }
    close(file);
    free(body), free(message), free(answer);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 6) fail("usage: socket CALLERS COUNT BATCH CURFEW STORE");
    const int callers = atoi(argv[1]), count = atoi(argv[2]);
    batch = atoi(argv[3]);
    if (callers < 1 || callers > MOST_CALLERS || count < callers || batch < 1 || batch > 256)
        fail("usage: socket CALLERS COUNT BATCH CURFEW STORE");
    each = count / callers;
    if (access(argv[5], F_OK) == 0) fail("%s exists", argv[5]);
    if (snprintf(place.sun_path, sizeof place.sun_path, "%s/control.sock", argv[5]) >=
        (int)sizeof place.sun_path)
        fail("%s: the path is too long", argv[5]);
    alarm(60);
    const pid_t host = fork();
    if (host == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (freopen("/dev/null", "w", stdout) == NULL) _exit(127);
        execl(argv[4], "curfew", "serve", "--json", "--threshold", "identifier-limit=100000000", "--store",
              argv[5], (char *)NULL);
        _exit(127);
    }
    int probe;
    while ((probe = connect_to_host()) < 0) {
        if (waitpid(host, NULL, WNOHANG) != 0) fail("the host has ended");
        usleep(1000);
    }
    close(probe);
    pthread_t threads[MOST_CALLERS];
    const uint64_t started = now_ns();
    for (int i = 0; i < callers; i++)
        if (pthread_create(&threads[i], NULL, call, NULL) != 0) fail("no thread");
    for (int i = 0; i < callers; i++) pthread_join(threads[i], NULL);
    const uint64_t ended = now_ns();
    kill(host, SIGTERM);
    waitpid(host, NULL, 0);
    printf("per_second %.1f\n",
           (double)(each / batch * batch) * callers * 1e9 / (double)(ended - started));
    return 0;
}
