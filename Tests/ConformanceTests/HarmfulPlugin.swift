// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A plugin that does some harm in one phase, written and compiled by the test.
struct HarmfulPlugin {
    let directory: String
    private let place: TemporaryDirectory

    init(_ body: String, _ phase: HarmPhase) throws {
        place = try TemporaryDirectory()
        directory = place.path("harmful")
        try place.write(Self.manifest, to: "harmful/manifest.json")
        try place.write(Self.source(body), to: "harmful.c")
        let root = BuiltProducts.packageRoot
        let compiled = try ChildProcess.run(
            "gcc",
            [
                "-std=c11", "-O1", "-g0", "-w", "-fPIC", "-shared", "-fvisibility=hidden",
                "-D_GNU_SOURCE", "-DPHASE=\(phase.rawValue)", "-I\(root)/include",
                "-Wl,-z,nodelete", "-Wl,--version-script=\(root)/Plugins/plugin.map",
                "-Wl,-soname,libharmful.so", "-o", "\(directory)/libharmful.so",
                place.path("harmful.c"),
            ])
        guard compiled.succeeded else { throw TwinError("\(compiled)") }
    }

    private static let manifest = """
        {
          "id": "org.example.harmful-plugin", "version": "1.0.0", "abi": 0,
          "library": "libharmful.so",
          "handlers": [
            {
              "identifier": "org.example.harmful", "kind": "app-refresh", "grace": "500ms",
              "examples": [
                { "name": "plain", "payload": "plain" },
                { "name": "endless", "payload": "slow", "expect": "slow" }
              ]
            }
          ]
        }
        """

    /// `HarmPhase` by number.
    private static func source(_ body: String) -> String {
        """
        #include <curfew/plugin.h>
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <libgen.h>
        #include <pthread.h>
        #include <setjmp.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/ptrace.h>
        #include <sys/resource.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/un.h>
        #include <time.h>
        #include <unistd.h>

        CURFEW_PLUGIN_NOTE();

        static jmp_buf there;
        static volatile unsigned round;

        static void ignore(void) { for (int n = 1; n < 65; n++) signal(n, SIG_IGN); }

        __attribute__((noinline)) static void harm(void) {
        \(body)
        }

        __attribute__((constructor)) static void begin(void) {
            if (setjmp(there) == 0 && PHASE == 0) harm();
        }

        __attribute__((destructor)) static void end(void) { if (PHASE == 5) harm(); }

        static void retire(void *data) { if (PHASE == 4) harm(); }

        static void expired(void *data, const curfew_host_api *api, curfew_task task,
                            curfew_reason reason) { if (PHASE == 3) harm(); }

        static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                                 curfew_error *error) {
            curfew_task_info info = {.struct_size = sizeof info};
            if (PHASE == 2) harm();
            if (api->task_info(api, task, &info) != CURFEW_OK || info.payload_bytes != 4)
                return CURFEW_OK;
            for (int n = 0; n < 20000 && !api->is_expired(api, task); n++)
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            strcpy(error->message, "stopped");
            return CURFEW_FAILED;
        }

        CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                               curfew_plugin_info *info,
                                                               curfew_error *error) {
            info->id = "org.example.harmful-plugin";
            info->version = "1.0.0";
            info->retire = retire;
            const curfew_handler handler = {.struct_size = sizeof handler,
                .identifier = "org.example.harmful", .run = run, .expired = expired};
            if (PHASE == 1) harm();
            return api->register_handler(api, &handler, error);
        }
        """
    }
}
