/* SPDX-License-Identifier: Apache-2.0 */
/* without FEATURES PROGRAM [ARGUMENT...]: runs a program as on a machine that lacks parts of what confines
 * processes. FEATURES are words with commas: namespaces, landlock, seccomp, clone3, only:KIND[+KIND…]. The
 * calls answer as they do in a container that refuses them, or with a kernel that was built without them; clone3
 * with `only` as in a unit of systemd with RestrictNamespaces=, which permits namespaces of those kinds. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))
/* Goes on after the next `count` instructions unless the number of the call is this one. */
#define UNLESS_CALL(number, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (count))

enum { most = 32 };
static struct sock_filter program[most];
static unsigned short length;

static void add(const struct sock_filter *instructions, size_t count) {
    memcpy(program + length, instructions, count * sizeof *instructions);
    length = (unsigned short)(length + count);
}
#define ADD(...)                                                                                    \
    do {                                                                                            \
        const struct sock_filter instructions[] = {__VA_ARGS__};                                    \
        add(instructions, sizeof instructions / sizeof *instructions);                              \
    } while (0)

/* The flags of clone(2) for names with plus signs between them. */
static uint32_t kinds(const char *names) {
    static const struct {
        const char *name;
        uint32_t flag;
    } all[] = {{"user", CLONE_NEWUSER}, {"pid", CLONE_NEWPID}, {"mnt", CLONE_NEWNS}, {"net", CLONE_NEWNET},
               {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}};
    uint32_t flags = 0;
    while (*names != 0) {
        const size_t length = strcspn(names, "+");
        for (size_t at = 0; at < sizeof all / sizeof *all; at++)
            if (strlen(all[at].name) == length && strncmp(names, all[at].name, length) == 0)
                flags |= all[at].flag;
        names += length + (names[length] == '+');
    }
    return flags;
}

int main(int count, char **words) {
    if (count < 3) {
        fputs("usage: without namespaces|landlock|seccomp|clone3|only:KINDS[,...] PROGRAM [ARGUMENT...]\n",
              stderr);
        return 64;
    }
    /* A test that looks at one of them asks for it here. */
    setenv("CURFEW_WITHOUT", words[1], 1);
    const uint32_t spaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |
                            CLONE_NEWUTS | CLONE_NEWCGROUP;
    ADD(LOAD(nr));
    for (char *word = strtok(words[1], ","); word != NULL; word = strtok(NULL, ",")) {
        if (strcmp(word, "namespaces") == 0) {
            /* The arguments of clone3 are in memory, where no filter sees them. */
            ADD(UNLESS_CALL(SYS_clone3, 1), REFUSE(ENOSYS));
            ADD(UNLESS_CALL(SYS_unshare, 1), REFUSE(EPERM));
            ADD(UNLESS_CALL(SYS_clone, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, spaces, 0, 1),
                REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW));
        } else if (strncmp(word, "only:", 5) == 0) {
            const uint32_t others = spaces & ~kinds(word + 5);
            const int calls[] = {SYS_clone, SYS_unshare};
            for (int at = 0; at < 2; at++)
                ADD(UNLESS_CALL((uint32_t)calls[at], 4), LOAD(args[0]),
                    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, others, 0, 1), REFUSE(EPERM),
                    ANSWER(SECCOMP_RET_ALLOW));
        } else if (strcmp(word, "clone3") == 0) {
            ADD(UNLESS_CALL(SYS_clone3, 1), REFUSE(ENOSYS));
        } else if (strcmp(word, "landlock") == 0) {
            ADD(UNLESS_CALL(SYS_landlock_create_ruleset, 1), REFUSE(ENOSYS));
            ADD(UNLESS_CALL(SYS_landlock_restrict_self, 1), REFUSE(ENOSYS));
        } else if (strcmp(word, "seccomp") == 0) {
            ADD(UNLESS_CALL(SYS_seccomp, 1), REFUSE(ENOSYS));
        } else {
            fprintf(stderr, "without: there is no feature %s\n", word);
            return 64;
        }
    }
    ADD(ANSWER(SECCOMP_RET_ALLOW));
    const struct sock_fprog filter = {length, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
        perror("without: no filter can be set");
        return 1;
    }
    execvp(words[2], words + 2);
    perror(words[2]);
    return 1;
}
