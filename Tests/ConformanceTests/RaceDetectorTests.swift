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

    @Test("the order that a host keeps is no race, and its runtime is in nobody's way")
    func order() throws {
        let files = try TemporaryDirectory()
        let source = try files.write(Self.orderly, to: "orderly.c")
        let manifest = try String(
            contentsOfFile: Twin.sources + "/manifest.json", encoding: .utf8)
        try files.write(manifest, to: "plugin/manifest.json")
        let root = BuiltProducts.packageRoot
        let built = try ChildProcess.run(
            "gcc",
            [
                "-std=gnu11", "-O1", "-g", "-fPIC", "-shared", "-fvisibility=hidden",
                "-D_GNU_SOURCE",
                "-fsanitize=thread", "-I\(root)/include", "-I\(Twin.sources)",
                "-Wl,--version-script=\(root)/Plugins/plugin.map", "-o",
                files.path("plugin/libtwin.so"), source,
            ])
        try #require(built.succeeded, "\(built)")
        let run = try ConformRun([files.path("plugin")], [])
        #expect(run.code == 0, "\(run.remarks)")
        #expect(run.status("no-races") == "pass")
        #expect(run.all(.skip) == ["reentrancy"])
    }
}
