// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("An interrupted kit")
struct InterruptedKitTests {
    @Test(
        "leaves nothing behind",
        arguments: [
            (SIGINT, HarmPhase.run), (SIGTERM, .run), (SIGHUP, .run), (SIGTERM, .constructor),
            (SIGINT, .retire),
        ])
    func interrupted(signal: Int32, phase: HarmPhase) throws {
        let plugin = try HarmfulPlugin(
            """
            for (int n = 0; n < 3; n++)
                if (fork() == 0) { setsid(); ignore(); for (;;) pause(); }
            if (fork() == 0) { if (fork() != 0) _exit(0); setsid(); ignore(); for (;;) pause(); }
            mkdir("locked", 0); mkfifo("pipe", 0); chmod(".", 0);
            int ready = open(getenv("CURFEW_TEST_READY"), O_WRONLY);
            if (write(ready, "!", 1) == 1) for (;;) round++;
            """, phase)
        let watch = try Surveillance()
        #expect(mkfifo(watch.readyPath, 0o600) == 0)
        let ready = open(watch.readyPath, O_RDWR | O_CLOEXEC)
        defer { close(ready) }

        let kit = Process()
        kit.executableURL = URL(fileURLWithPath: ConformRun.program)
        kit.arguments = ["conform", plugin.directory, "--json"]
        kit.environment = ConformRun.environment.merging(watch.environment) { $1 }
        kit.standardOutput = FileHandle.nullDevice
        kit.standardError = FileHandle.nullDevice
        try kit.run()
        var event = pollfd(fd: ready, events: Int16(POLLIN), revents: 0)
        let came = poll(&event, 1, 30_000)
        #expect(came == 1)
        kill(kit.processIdentifier, signal)
        kit.waitUntilExit()
        #expect(kit.terminationReason == .exit)
        #expect(kit.terminationStatus == 128 + signal)
        #expect(watch.residue == [])
    }
}
