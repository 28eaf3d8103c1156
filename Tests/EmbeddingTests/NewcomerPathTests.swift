// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// From an installed Curfew and an empty home directory to work that runs every night, in each
/// language: it asks for its next run, a failure is explained by `show` and repaired by `retry`.
@Suite("A newcomer's first nightly task")
struct NewcomerPathTests {
    @Test("A command, with no plugin at all")
    func command() throws {
        try GuideReader(try Installation.forTests()).follow(
            Guide(
                "command",
                text: Self.start + """
                    ```sh
                    cat > backup <<'END'
                    #!/bin/sh
                    grep -c . list || { echo "there is no list" >&2; exit 3; }
                    END
                    chmod +x backup
                    curfew submit --cron '0 3 * * *' -- ./backup
                    curfew submit -- ./backup
                    curfew serve > host.log 2>&1 &
                    curfew wait 2 && exit 1
                    curfew show 2 > shown
                    grep -q 'exited with status 3: there is no list' shown
                    echo apple > list
                    curfew retry 2
                    curfew wait 2
                    curfew launch 1
                    until curfew show 1 --json | grep -q '"outcome":"succeeded"'; do sleep 0.05; done
                    curfew show 1 --json | grep -q '"state":"pending"'
                    kill $!
                    ```
                    ```console
                    $ curfew show 1
                    …cron 0 3 * * *…
                    ```
                    """))
    }

    @Test("A plugin in C")
    func c() throws {
        try follow(
            "c", path: "nightly.c",
            source: """
                #include <curfew/ext/requests.h>
                #include <errno.h>
                #include <stdio.h>
                #include <string.h>

                CURFEW_PLUGIN_NOTE();

                static curfew_status run(void *handler_data, const curfew_host_api *api,
                                         curfew_task task, curfew_error *host_error) {
                    (void)handler_data;
                    curfew_task_info info = {.struct_size = sizeof info};
                    curfew_status status = api->task_info(api, task, &info);
                    const curfew_requests *requests = api->extension(api, CURFEW_EXT_REQUESTS);
                    if (status != CURFEW_OK || requests == NULL) return CURFEW_FAILED;
                    const curfew_submit_options tomorrow = {
                        .struct_size = sizeof tomorrow,
                        .after_ns = 24 * UINT64_C(3600000000000),
                        .on_pending = CURFEW_ON_PENDING_KEEP,
                        .payload = info.payload,
                        .payload_bytes = info.payload_bytes};
                    status = requests->submit(api, info.identifier, &tomorrow, NULL, host_error);
                    if (status != CURFEW_OK) return status;

                    char path[512];
                    snprintf(path, sizeof path, "%.*s", (int)info.payload_bytes,
                             (const char *)info.payload);
                    FILE *file = fopen(path, "r");
                    if (file == NULL) {
                        snprintf(host_error->message, sizeof host_error->message,
                                 "there is no list: %s", strerror(errno));
                        return CURFEW_FAILED;
                    }
                    fclose(file);
                    return CURFEW_OK;
                }

                CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
                    const curfew_host_api *api, curfew_plugin_info *host_info,
                    curfew_error *host_error) {
                    (void)host_info;
                    const curfew_handler handler = {
                        .struct_size = sizeof handler, .identifier = "com.you.nightly", .run = run};
                    return api->register_handler(api, &handler, host_error);
                }
                """)
    }

    @Test("A plugin in C++")
    func cxx() throws {
        try follow(
            "c++", path: "nightly.cpp",
            source: """
                #include <curfew/curfew.hpp>
                #include <fstream>

                static void nightly(curfew::task &task) {
                    task.submit_next({.after = std::chrono::hours(24)});
                    std::ifstream file{std::string(task.text())};
                    if (!file) throw std::runtime_error("there is no list");
                }

                CURFEW_PLUGIN(plugin) { plugin.handle<nightly>("com.you.nightly"); }
                """)
    }

    @Test("A plugin in Rust")
    func rust() throws {
        try follow(
            "rust", path: "src/lib.rs",
            source: """
                use curfew::{Failure, Request, Task};
                use std::time::Duration;

                curfew::plugin! { "com.you.nightly" => nightly }

                fn nightly(task: &Task) -> Result<Vec<u8>, Failure> {
                    task.submit_next(&Request::after(Duration::from_secs(24 * 60 * 60)))?;
                    let path = String::from_utf8_lossy(task.payload());
                    std::fs::read(&*path).map_err(|error| format!("there is no list: {error}").into())
                }
                """)
    }

    @Test("A plugin in Swift")
    func swift() throws {
        try follow(
            "swift", path: "Sources/NightlyPlugin/NightlyHandler.swift",
            source: """
                import CurfewPlugin
                import Glibc

                struct NightlyHandler: TaskHandler {
                    func run(_ task: HandlerTask) async throws -> [UInt8] {
                        try task.submitNext(after: .seconds(24 * 60 * 60))
                        guard access(String(decoding: task.payload, as: UTF8.self), R_OK) == 0 else {
                            throw NightlyProblem("there is no list")
                        }
                        return []
                    }
                }
                """, remove: "Sources/NightlyPlugin/NightlyCount.swift")
    }

    @Test("A function in Python, which has its own host")
    func python() throws {
        try GuideReader(try Installation.forTests()).follow(
            Guide(
                "python",
                text: Self.start + """
                    As `nightly.py`:
                    ```python
                    import os, signal, threading
                    import curfew

                    stop = threading.Event()
                    signal.signal(signal.SIGTERM, lambda *_: stop.set())
                    with curfew.Host(store=os.environ["CURFEW_STORE"]) as host:
                        @host.register("com.you.nightly")
                        def nightly(task):
                            task.submit_next(after=24 * 60 * 60)
                            try:
                                return open(task.payload).read()
                            except OSError as error:
                                raise RuntimeError(f"there is no list: {error}")
                        stop.wait()
                    ```
                    ```sh
                    export PYTHONPATH=/usr/local/share/curfew/python
                    export CURFEW_STORE=$HOME/store
                    ```
                    \(Self.nights("python3 nightly.py"))
                    """))
    }

    /// A function that is called cannot ask for its next run: its request repeats.
    @Test("A C function of a library, without code")
    func call() throws {
        try GuideReader(try Installation.forTests()).follow(
            Guide(
                "call",
                text: Self.start + """
                    ```sh
                    curfew new nightly --lang call --id com.you.nightly
                    cd nightly
                    ```
                    As `manifest.json`:
                    ```json
                    {
                      "id": "com.you.nightly-plugin",
                      "version": "1.0.0",
                      "abi": 0,
                      "handlers": [
                        {
                          "identifier": "com.you.nightly",
                          "kind": "app-refresh",
                          "form": "call",
                          "call": {
                            "library": {"system": "libc.so.6"},
                            "function": "access",
                            "signature": "int32 (text, int32)",
                            "arguments": [{"from": "payload"}, 4],
                            "result": "errno"
                          }
                        }
                      ]
                    }
                    ```
                    ```sh
                    make && make install
                    curfew submit com.you.nightly --cron '0 3 * * *' --payload "$HOME/list"
                    curfew submit com.you.nightly --payload "$HOME/list"
                    curfew serve > host.log 2>&1 &
                    curfew wait 2 && exit 1
                    curfew show 2 > shown
                    grep -q 'No such file or directory' shown
                    echo apple > "$HOME/list"
                    curfew retry 2
                    curfew wait 2
                    curfew launch 1
                    until curfew show 1 --json | grep -q '"outcome":"succeeded"'; do sleep 0.05; done
                    curfew show 1 --json | grep -q '"state":"pending"'
                    kill $!
                    ```
                    """))
    }

    /// Makes a plugin of a template, builds and installs it, and lets it have its nights.
    private func follow(
        _ language: String, path: String, source: String, remove: String = ""
    ) throws {
        let removal = remove.isEmpty ? "" : "rm " + remove
        try GuideReader(try Installation.forTests()).follow(
            Guide(
                language,
                text: Self.start + """
                    ```sh
                    curfew new nightly --lang \(language) --id com.you.nightly
                    cd nightly
                    \(removal)
                    ```
                    As `\(path)`:
                    ```text
                    \(source)
                    ```
                    As `manifest.json`:
                    ```json
                    {
                      "id": "com.you.nightly-plugin",
                      "version": "1.0.0",
                      "abi": 0,
                      "library": "libnightly.so",
                      "handlers": [{"identifier": "com.you.nightly", "kind": "processing"}]
                    }
                    ```
                    ```sh
                    make && make install
                    ```
                    \(Self.nights("curfew serve"))
                    """))
    }

    private static let start = """
        ```sh
        export PATH="/usr/local/bin:$PATH"
        ```

        """

    /// Runs a host: the first night fails and is retried, the second one is launched before its date.
    private static func nights(_ host: String) -> String {
        """
        ```sh
        curfew submit com.you.nightly --payload "$HOME/list"
        \(host) > ~/host.log 2>&1 &
        curfew wait 1 && exit 1
        curfew show 1 > shown
        grep -q 'there is no list' shown
        echo apple > "$HOME/list"
        curfew retry 1
        curfew wait 1
        curfew show 2 --json | grep -q '"state":"pending"'
        curfew launch 2
        curfew wait 2
        kill $!
        wait $!
        ```
        ```console
        $ curfew ps
        ID  IDENTIFIER…
         3  com.you.nightly  pending  +23h…
        ```
        """
    }
}
