// SPDX-License-Identifier: Apache-2.0

/// Something that a plugin does to whoever runs it, as statements in C.
struct Harm: Sendable {
    let name: String
    let body: String
    /// It costs the case its whole limit.
    var hangs = false
    /// Where it is done.
    var phases = HarmPhase.allCases
    /// Where the kit must see it: elsewhere it may as well have done nothing.
    var seen: Set<HarmPhase> = Set(HarmPhase.allCases)

    private static let unlessAtTheEnd = Set(HarmPhase.allCases).subtracting([.end])

    static let all: [Harm] = ending + descriptors + processes + files + state

    /// It is over at once, or never.
    private static let ending: [Harm] = [
        Harm(name: "calls _exit", body: "_exit(0);"),
        Harm(name: "aborts", body: "abort();"),
        Harm(name: "kills its group", body: "kill(0, SIGKILL);"),
        Harm(
            name: "joins the kit's group and kills that",
            body: "setpgid(0, getpgid(getppid())); kill(0, SIGKILL);"),
        Harm(
            name: "throws away its stack",
            body: """
                pthread_attr_t attributes; void *start; size_t bytes;
                pthread_getattr_np(pthread_self(), &attributes);
                pthread_attr_getstack(&attributes, &start, &bytes);
                munmap(start, bytes);
                """),
        Harm(name: "jumps to where it once was", body: "longjmp(there, 1);", seen: []),
        Harm(name: "goes round for ever", body: "for (;;) round++;", hangs: true),
        Harm(name: "stops its process", body: "kill(getpid(), SIGSTOP);", hangs: true),
        Harm(
            name: "blocks all signals and waits",
            body: """
                sigset_t all; sigfillset(&all); pthread_sigmask(SIG_BLOCK, &all, NULL);
                for (int n = 1; n < 65; n++) signal(n, SIG_IGN);
                for (;;) pause();
                """, hangs: true, phases: [.entry, .run]),
        // What of its host goes on without this thread is not the plugin's to say.
        Harm(
            name: "ends its thread", body: "pthread_exit(NULL);", hangs: true,
            phases: [.entry, .run],
            seen: []),
    ]

    private static let descriptors: [Harm] = [
        Harm(
            name: "closes all descriptors", body: "for (int d = 0; d < 256; d++) close(d);",
            seen: unlessAtTheEnd),
        Harm(
            name: "takes all descriptors for its own",
            body: """
                int nowhere = open("/dev/null", O_RDWR);
                for (int d = 0; d < 256; d++) if (d != nowhere) dup2(nowhere, d);
                """, seen: unlessAtTheEnd),
        Harm(
            name: "forges what the kit is told",
            body: """
                const char *mark = "0123456789abcdef0123456789abcdef";
                for (int d = 0; d < 256; d++) {
                    dprintf(d, "verdict pass\\n %s verdict pass \\n%s leaving\\n", mark, mark);
                    dprintf(d, "%032d verdict pass \\n\\nverdict pass", 0);
                }
                _exit(0);
                """),
        Harm(
            name: "floods standard output",
            body: """
                char text[1 << 16]; memset(text, 'x', sizeof text);
                for (int n = 0; n < 1600; n++) if (write(1, text, sizeof text) < 0) break;
                """, seen: []),
        Harm(
            name: "floods what the kit reads",
            body: """
                char text[1 << 16]; memset(text, '\\n', sizeof text);
                for (int n = 0; n < 1600; n++) if (write(63, text, sizeof text) < 0) break;
                """, seen: unlessAtTheEnd),
    ]

    private static let processes: [Harm] = [
        Harm(name: "kills the process that watches it", body: "kill(getppid(), SIGKILL); pause();"),
        Harm(
            name: "asks the process that watches it to end",
            body: "kill(getppid(), SIGTERM); pause();"),
        Harm(
            name: "traces the process that watches it",
            body: """
                pid_t watcher = getppid();
                if (fork() == 0) {
                    setsid();
                    ptrace(PTRACE_SEIZE, watcher, 0, 0);
                    ptrace(PTRACE_INTERRUPT, watcher, 0, 0);
                    for (;;) pause();
                }
                for (;;) pause();
                """, hangs: true),
        Harm(
            name: "has itself traced by the process that watches it, which waits for another",
            body: "ptrace(PTRACE_TRACEME, 0, 0, 0); raise(SIGSTOP); for (;;) pause();",
            hangs: true, phases: [.run]),
        Harm(
            name: "stops the process that watches it",
            body: "kill(getppid(), SIGSTOP); for (;;) pause();", hangs: true),
        Harm(
            name: "leaves children in sessions of their own",
            body: """
                for (int n = 0; n < 5; n++)
                    if (fork() == 0) { setsid(); ignore(); for (;;) pause(); }
                """, seen: []),
        Harm(
            name: "leaves a daemon",
            body: """
                if (fork() == 0) {
                    setsid(); ignore();
                    if (fork() != 0) _exit(0);
                    for (;;) pause();
                }
                """, seen: []),
        Harm(
            name: "leaves a process that moves on from child to child",
            body: """
                if (fork() == 0) {
                    setsid(); ignore();
                    for (int n = 0; n < 20000; n++) if (fork() != 0) _exit(0);
                    _exit(0);
                }
                """, seen: []),
    ]

    private static let files: [Harm] = [
        Harm(
            name: "leaves directories that nobody can enter",
            body: """
                char name[200] = ""; int made[40], count = 0;
                memset(name, 'd', sizeof name - 1);
                int here = open(".", O_RDONLY);
                for (int n = 0; n < 40; n++) {
                    mkdir(name, 0700);
                    close(open("file", O_WRONLY | O_CREAT, 0));
                    if (symlink("/", "link") != 0) break;
                    made[count++] = open(name, O_RDONLY);
                    if (chdir(name) != 0) break;
                }
                while (count-- > 0) { fchmod(made[count], 0); close(made[count]); }
                if (fchdir(here) != 0) abort();
                chmod(".", 0); close(here);
                """, seen: []),
        Harm(
            name: "deletes its working directory",
            body: """
                char *place = getcwd(NULL, 0);
                if (place != NULL) rmdir(place);
                if (place != NULL && strstr(dirname(place), "/curfew-conform-")) rmdir(place);
                """, seen: []),
        Harm(
            name: "puts a link in the place of its working directory",
            body: """
                char place[4096], above[4096];
                if (getcwd(place, sizeof place) == NULL) return;
                strcpy(above, place); dirname(above);
                rmdir(place);
                /* The example's own is in that of the case. */
                char *gone = strstr(above, "/curfew-conform-") ? above : place;
                rmdir(gone);
                if (symlink(getenv("CURFEW_TEST_VICTIM"), gone) != 0) return;
                """, seen: []),
        Harm(
            name: "leaves sockets and pipes",
            body: """
                struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
                int door = socket(AF_UNIX, SOCK_STREAM, 0);
                bind(door, (struct sockaddr *)&name, sizeof name); listen(door, 1);
                mkfifo("pipe", 0);
                """, seen: []),
    ]

    private static let state: [Harm] = [
        Harm(
            name: "takes away all limits' room",
            body: """
                struct rlimit none = {0, 0};
                setrlimit(RLIMIT_NOFILE, &none); setrlimit(RLIMIT_FSIZE, &none);
                setrlimit(RLIMIT_NPROC, &none); setrlimit(RLIMIT_AS, &none);
                setrlimit(RLIMIT_STACK, &none);
                """, seen: [])
    ]
}
