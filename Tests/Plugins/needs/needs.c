/* SPDX-License-Identifier: Apache-2.0 */
/* Tries what its payload says, a word and an argument; the result is "ok", or why it did not work. */
#define _GNU_SOURCE
#include <curfew/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

static const char *reached(int file) {
    if (file < 0) return strerror(errno);
    close(file);
    return "ok";
}

static const char *connects(int port) {
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) return "no socket";
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    /* Nobody listens: a refusal by the peer is one that got through. */
    const int result = connect(file, (const struct sockaddr *)&to, sizeof to);
    const int error = errno;
    close(file);
    return result == 0 || error == ECONNREFUSED ? "ok" : strerror(error);
}

static const char *runs(char *program) {
    char *arguments[] = {program, NULL};
    char *environment[] = {NULL};
    pid_t child;
    const int error = posix_spawn(&child, program, NULL, NULL, arguments, environment);
    if (error != 0) return strerror(error);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0 ? "ok" : "failed";
}

static const char *attempt(const char *what, char *argument, char *buffer, size_t size) {
    if (strcmp(what, "read") == 0) return reached(open(argument, O_RDONLY | O_CLOEXEC));
    if (strcmp(what, "write") == 0)
        return reached(open(argument, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (strcmp(what, "connect") == 0) return connects(atoi(argument));
    if (strcmp(what, "run") == 0) return runs(argument);
    if (strcmp(what, "variable") == 0) return getenv(argument) == NULL ? "none" : getenv(argument);
    if (strcmp(what, "descriptors") == 0) {
        struct rlimit limit;
        getrlimit(RLIMIT_NOFILE, &limit);
        snprintf(buffer, size, "%d", (int)limit.rlim_cur);
        return buffer;
    }
    return "what?";
}

static curfew_status run(void *handler_data, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)handler_data, (void)host_error;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return CURFEW_FAILED;
    char text[1024], buffer[64];
    snprintf(text, sizeof text, "%.*s", (int)info.payload_bytes, (const char *)info.payload);
    char *argument = strchr(text, ' ');
    if (argument == NULL) argument = text + strlen(text);
    else *argument++ = 0;
    const char *said = attempt(text, argument, buffer, sizeof buffer);
    return api->complete(api, task, CURFEW_OK, NULL, 0, said, strlen(said));
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {
        .struct_size = sizeof handler, .identifier = "org.curfew.test.needs", .run = run};
    return api->register_handler(api, &handler, host_error);
}
