// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Conformance

@Suite("How the use of memory is checked")
struct CheckedMemoryTests {
    /// Builds a plugin that calls `use()` in each task, and runs the case.
    private static func run(_ code: String) throws -> ConformRun {
        // A compiler that optimizes removes a wrong use that has no other effect.
        let plugin = try SourcePlugin(
            "\(code)\n#define TWIN_IN_RUN use();\n#include \"twin.h\"\n",
            flags: ["-O0", "-fno-builtin"])
        return try ConformRun(plugin.directory, only: "hardened-memory")
    }

    @Test("unusual use that is right is no fault")
    func right() throws {
        let run = try Self.run(
            """
            #include <dlfcn.h>
            #include <malloc.h>
            #include <pthread.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static void *(*get)(size_t) = malloc;
            static void (*give_back)(void *) = free;
            static void *spin(void *data) {
                for (int i = 0; i < 20000; i++) free(malloc(i % 900));
                return data;
            }
            static void use(void) {
                /* Children that use memory, while other threads do. */
                pthread_t threads[2];
                for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, spin, NULL);
                for (int i = 0; i < 10; i++) {
                    void *mine = malloc(30);
                    const pid_t child = fork();
                    if (child == 0) {
                        free(mine);
                        free(realloc(strdup("x"), 100));
                        _exit(0);
                    }
                    waitpid(child, NULL, 0);
                    free(mine);
                }
                for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
                /* Functions by other ways. */
                void (*found)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "free");
                found(malloc(10));
                void *block = get(30);
                memset(block, 1, malloc_usable_size(block));
                give_back(block);
                free(get(30));
                /* A line that the C library reallocates, and what it allocates itself. */
                size_t room = 4;
                char *line = malloc(room), *text = NULL;
                FILE *file = fopen("/proc/self/status", "r");
                if (file != NULL) {
                    while (getline(&line, &room, file) > 0) {}
                    fclose(file);
                }
                free(line);
                if (asprintf(&text, "%d", 7) > 0) free(text);
                /* Sizes. */
                free(malloc(0));
                if (realloc(realloc(NULL, 10), 0) != NULL) abort();
                char *large = malloc(3 << 20);
                large = realloc(large, 5 << 20);
                memset(large, 1, 5 << 20);
                free(large);
                void *aligned = NULL;
                if (posix_memalign(&aligned, 4096, 100) != 0 || (size_t)aligned % 4096 != 0) abort();
                memset(aligned, 1, 100);
                free(aligned);
            }
            """)
        #expect(run.code == 0, "\(run.broken) \(run.remarks)")
    }

    private static let wrong = [
        (
            "char *a = malloc(24); a[30] = 1; free(a);",
            "wrote behind the end of a block of 24 bytes, at byte 30"
        ),
        (
            "long *a = malloc(160); free(a); a[3]++;",
            "wrote to a block of 160 bytes that was freed, at byte 24"
        ),
        (
            "char *a = malloc(5); free(a); a[20] = 1;",
            "wrote behind the end of a block of 5 bytes that was freed, at byte 20"
        ),
        (
            "char *a = malloc(20), *b = malloc(20); free(a); free(b); free(a);",
            "freed a block of 20 bytes twice"
        ),
        (
            "for (int i = 0; i < 70000; i++) { char *a = malloc(20); free(a); if (i == 0) a[1] = 1; }",
            "wrote to a block of 20 bytes that was freed, at byte 1"
        ),
    ]

    @Test("wrong use is told with the calls that allocated and freed", arguments: wrong)
    func told(code: String, text: String) throws {
        let run = try Self.run("#include <stdlib.h>\nstatic void use(void) { \(code) }")
        #expect(run.text("hardened-memory") == text)
        #expect(run.status("hardened-memory") == "fail")
        let notes = run.cases.first?.notes.joined(separator: "\n") ?? ""
        #expect(notes.contains("allocated in libtwin.so+0x"), "\(notes)")
        #expect(notes.contains("freed in libtwin.so+0x"), "\(notes)")
        #expect(
            notes.contains("freed again in libtwin.so+0x") == text.hasSuffix("twice"), "\(notes)")
    }
}
