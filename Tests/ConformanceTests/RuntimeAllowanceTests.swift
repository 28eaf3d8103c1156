// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TestSupport
import Testing

@testable import Conformance

@Suite("What the Swift runtime may leave")
struct RuntimeAllowanceTests {
    /// Makes the runtime of this process do all that it ever does by itself.
    private func wake() async throws {
        for priority in [TaskPriority.high, .medium, .utility, .background] {
            _ = await Task.detached(priority: priority) { 1 }.value
        }
        try await Task.sleep(for: .milliseconds(1))
        let classes = [DispatchQoS.QoSClass.userInitiated, .default, .utility, .background]
        for qos in classes {
            await withCheckedContinuation { continuation in
                DispatchQueue.global(qos: qos).asyncAfter(deadline: .now() + .milliseconds(1)) {
                    continuation.resume()
                }
            }
        }
    }

    @Test("is no more than what it brings about")
    func noWider() async throws {
        var threads: Set<String> = []
        var descriptors: Set<String> = []
        // A thread of the pool may have left just now.
        for _ in 0..<100 where !RuntimeAllowance.threads.isSubset(of: threads) {
            try await wake()
            let facts = ProcessFacts()
            threads.formUnion(facts.threads.values)
            descriptors.formUnion(facts.descriptors.values)
        }
        #expect(RuntimeAllowance.threads.subtracting(threads) == [])
        #expect(RuntimeAllowance.descriptors.subtracting(descriptors) == [])
    }

    @Test("is for plugins in Swift only")
    func onlySwift() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            #"""
            #define _GNU_SOURCE
            #include <curfew/plugin.h>
            #include <pthread.h>
            #include <sys/eventfd.h>
            #include <unistd.h>
            CURFEW_PLUGIN_NOTE();
            static void *sleep_on(void *nothing) { for (;;) pause(); return nothing; }
            static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                                     curfew_error *error) {
                pthread_t thread;
                if (pthread_create(&thread, NULL, sleep_on, NULL) == 0)
                    pthread_setname_np(thread, "oot.default-qos");
                return eventfd(0, 0) < 0 ? CURFEW_FAILED : CURFEW_OK;
            }
            CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                    curfew_plugin_info *info, curfew_error *error) {
                const curfew_handler handler = {.struct_size = sizeof handler,
                    .identifier = "org.example.pool", .run = run};
                return api->register_handler(api, &handler, error);
            }
            """#, to: "pool.c")
        try directory.write(
            #"""
            {"id": "org.example.pool-plugin", "version": "1.0.0", "abi": 0, "library": "libpool.so",
             "handlers": [{"identifier": "org.example.pool", "kind": "app-refresh",
                           "examples": [{"name": "plain", "payload": ""}]}]}
            """#, to: "plugin/manifest.json")
        let built = try ChildProcess.run(
            "gcc",
            [
                "-std=gnu11", "-fPIC", "-shared", "-I", "\(BuiltProducts.packageRoot)/include",
                "-o",
                directory.path("plugin/libpool.so"), directory.path("pool.c"),
            ])
        try #require(built.succeeded, "\(built)")
        let run = try ConformRun(
            directory.path("plugin"), only: "threads-joined", "descriptors-and-children")
        #expect(run.told(.leak).count == 2, "\(run.cases)")
    }
}
