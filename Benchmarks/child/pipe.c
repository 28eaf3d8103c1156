/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64 bytes to another process and back, over two pipes: what a process of its own costs without shared
 * memory.
 *
 *     child/pipe busy | rested
 */
#include "../round-trip/round-trips.h"

enum { BYTES = 64 };

static void pass(int from, int to) {
    char bytes[BYTES];
    while (read(from, bytes, BYTES) == BYTES)
        if (write(to, bytes, BYTES) != BYTES) _exit(1);
    _exit(0);
}

int main(int count, char **arguments) {
    static const char usage[] = "child/pipe busy | rested";
    if (count != 2) fail("usage: %s", usage);
    struct round_trips *trips = make_round_trips(arguments[1], usage);
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0) fail("no pipes");
    const pid_t child = fork();
    if (child < 0) fail("no process");
    if (child == 0) {
        close(there[1]);
        pass(there[0], back[1]);
    }
    close(there[0]);
    char bytes[BYTES] = {0};
    for (int i = 0; i < trips->count; i++) {
        rest(trips);
        const uint64_t started = now_ns();
        if (write(there[1], bytes, BYTES) != BYTES || read(back[0], bytes, BYTES) != BYTES)
            fail("the other process has ended");
        trips->spans_ns[i] = now_ns() - started;
    }
    print_round_trips(trips);
    return 0;
}
