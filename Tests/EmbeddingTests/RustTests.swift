// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Programs that embed Curfew in Rust")
struct RustTests {
    @Test("A program compiles with what bindgen makes of the headers, without Cargo, and runs")
    func embeds() throws {
        let installation = try Installation.forTests()
        let place = try TemporaryDirectory()
        _ = try Installation.output(
            "bindgen",
            [
                "--no-rustfmt-bindings", installation.path("include/curfew/curfew.h"), "-o",
                place.path("curfew.rs"),
            ])
        let libraries = installation.path("lib")
        var environment = ProcessInfo.processInfo.environment
        environment["CURFEW_BINDINGS"] = place.path("curfew.rs")
        _ = try Installation.output(
            "rustc",
            [
                "--edition", "2021", "-D", "warnings", "-L", libraries, "-l", "curfew", "-C",
                "link-arg=-Wl,-rpath,\(libraries)", "-o", place.path("embedder"),
                "\(BuiltProducts.packageRoot)/Tests/Embedding/rust/embedder.rs",
            ], environment: environment)
        try EmbedderStage(installation).play([place.path("embedder")])
    }

    @Test("A plugin's second function wakes the first at expiration, and its panic stays inside")
    func expires() throws {
        try GuideReader(try Installation.forTests()).follow(
            Guide(
                "rust",
                text: """
                    ```sh
                    export PATH="/usr/local/bin:$PATH"
                    curfew new sleeper --lang rust --id com.you.sleeper
                    cd sleeper
                    ```
                    As `src/lib.rs`:
                    ```rust
                    use curfew::{Failure, Reason, Task};
                    use std::sync::{Condvar, Mutex};

                    curfew::plugin! { "com.you.sleeper" => sleeper, expired stop }

                    static REASON: Mutex<Option<Reason>> = Mutex::new(None);
                    static STOPPED: Condvar = Condvar::new();

                    fn sleeper(task: &Task) -> Result<Vec<u8>, Failure> {
                        let mut reason = REASON.lock().unwrap();
                        while reason.is_none() {
                            reason = STOPPED.wait(reason).unwrap();
                        }
                        Err(format!("{} woken: {:?}", task.identifier(), reason.unwrap()).into())
                    }

                    fn stop(_: &Task, reason: Reason) {
                        *REASON.lock().unwrap() = Some(reason);
                        STOPPED.notify_all();
                        panic!("stays here");
                    }
                    ```
                    ```sh
                    sed -i '/"events"/,/^      \\],/d' manifest.json
                    make
                    ```
                    ```console
                    $ curfew run com.you.sleeper --plugin build/sleeper --budget 100ms 2>/dev/null
                    …
                    EXPIRED  in …
                    answer: com.you.sleeper woken: Budget
                    …
                    $ echo $?
                    124
                    ```
                    """))
    }
}
