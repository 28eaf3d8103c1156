// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import TestSupport
import Testing

@Suite("A plugin that is compiled for ThreadSanitizer")
struct RaceDetectorTests {
    /// One task follows another, on one worker or another, and then the plugin is retired: nothing of it
    /// happens at the same time.
    private static let orderly = """
        #include <pthread.h>
        static int tasks, last, stops;
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static void count_stop(void) {
            pthread_mutex_lock(&lock);
            stops++;
            pthread_mutex_unlock(&lock);
        }
        #define TWIN_IN_RUN tasks++;
        #define TWIN_IN_EXPIRED count_stop();
        #define TWIN_IF_PLAIN count_stop();
        #define TWIN_IN_RETIRE last = tasks, tasks = 0;
        #include "twin.h"

        """

    @Test("tasks that follow one another are no race, and all other cases pass")
    func order() throws {
        let plugin = try SourcePlugin(Self.orderly, flags: ["-O1", "-g", "-fsanitize=thread"])
        let run = try ConformRun([plugin.directory], [])
        #expect(run.code == 0, "\(run.remarks)")
        #expect(run.status("no-races") == "pass")
        // The detector has an allocator of its own, without those checks.
        #expect(run.all(.skip) == ["hardened-memory", "reentrancy"])
        // No host loads it, which `curfew lint` says of what is to be shipped.
        let look = StaticLook(directory: plugin.directory)
        let warned = try #require(look.findings.first { $0.tested.name == "no-races" })
        #expect(warned.verdict.status == .warn)
        #expect(warned.verdict.text.contains("libtsan.so."), "\(warned.verdict.text)")
    }

    @Test("a library with another name is not loaded before the kit")
    func forged() throws {
        let files = try TemporaryDirectory()
        let marker = files.path("was-loaded")
        let forger = try files.write(
            """
            #include <stdio.h>
            __attribute__((constructor)) static void leave(void) { fclose(fopen("\(marker)", "w")); }

            """, to: "forger.c")
        let plugin = try files.write(
            """
            extern void __tsan_init(void) __attribute__((weak));
            #define TWIN_IN_ENTRY if (__tsan_init) __tsan_init();
            #include "twin.h"

            """, to: "plugin.c")
        let manifest = try String(
            contentsOfFile: Twin.sources + "/manifest.json", encoding: .utf8)
        try files.write(manifest, to: "plugin/manifest.json")
        let stub = files.path("stub.so")
        let library = files.path("forger.so")
        let root = BuiltProducts.packageRoot
        for words in [
            ["-o", library, forger],
            ["-Wl,-soname,libtsan.so.2:\(library)", "-x", "c", "/dev/null", "-o", stub],
            [
                "-D_GNU_SOURCE", "-fvisibility=hidden", "-I\(root)/include", "-I\(Twin.sources)",
                "-Wl,--no-as-needed", "-o", files.path("plugin/libtwin.so"), plugin, stub,
            ],
        ] {
            let built = try ChildProcess.run("gcc", ["-shared", "-fPIC"] + words)
            try #require(built.succeeded, "\(built)")
        }
        let run = try ConformRun(files.path("plugin"), only: "retires")
        #expect(run.code == 1, "\(run.remarks)")
        #expect(!FileManager.default.fileExists(atPath: marker))
    }
}
