// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `curfew why --history`
@Suite("curfew why --history")
struct HistoryTests {
    @Test("A night without a host: when each was due, that nobody was there, and when it ran")
    func night() throws {
        let desk = try RequestDesk()
        // Of processes of other tests, whose numbers may come again.
        FakeClock.forgetEnded()
        defer { FakeClock.forgetEnded() }
        let run = try desk.python(
            """
            import re, time
            def at(offset, *words):
                subprocess.run(["faketime", "-f", offset, program, words[0], "--store", store, *words[1:]],
                    capture_output=True, check=True)
            def history(*words):
                code, out, err = run("why", "--history", *words)
                text = re.sub(r"(\\\\d\\\\d-\\\\d\\\\d )?\\\\d\\\\d:\\\\d\\\\d(:\\\\d\\\\d)?", "TIME", out + err)
                print(code, text.replace(store, "STORE"), end="")
            at("-3h", "submit", "--", "/bin/true")
            at("-2h", "submit", "--every", "1h", "--", "/bin/false")
            at("-0h", "submit", "--at", "2190-01-01", "--", "/bin/true")
            with open("curfew.json", "w") as file:
                json.dump({"factors": {"source": "none"}, "schedules": [
                    {"name": "tidy", "command": ["/bin/true"], "every": "1h"}]}, file)
            host = subprocess.Popen([program, "serve", "--store", store, "--config", "curfew.json"],
                stdout=subprocess.DEVNULL)
            run("wait", "1", "--timeout", "30s")
            while not json.loads(run("why", "--history", "2", "--json")[1])["turns"][-1]["outcome"]:
                time.sleep(0.01)
            host.send_signal(signal.SIGTERM)
            host.wait(30)
            history("1-3")
            history("tidy")
            first = json.loads(run("why", "--history", "1", "--json")[1])
            turn = first["turns"][0]
            print(first["request"], first["cut"], turn["end"], round(turn["late"] / 3600),
                turn["holds"][0]["factors"], round(first["held"][0]["seconds"] / 3600))
            history("org.curfew.command", "--json")
            history("99")
            history("nothing.at.all")
            history("1", "--needs", "network")
            """.replacingOccurrences(of: "\\\\", with: "\\"))
        try #require(run.succeeded, "\(run)")
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.replacing(#/ +/#, with: " ")
        }
        #expect(
            lines.prefix(13).joined(separator: "\n") == """
                0 request 1, org.curfew.command: one launch, held 3 h by host
                 TIME launched 3 h late, TIME; succeeded
                 3 h by host: no host used the store

                request 2, org.curfew.command: one launch, held 2 h by host
                 TIME launched 2 h late, TIME; 2 dates passed and are left out; failed: exited with status 1
                 2 h by host: no host used the store

                request 3, org.curfew.command: it was not due yet, as far as its journal goes back
                0 request 4, org.curfew.command: it was not due yet, as far as its journal goes back
                1 False launched 3 ['host'] 3
                """ + "\n" + lines[11...12].joined(separator: "\n"))
        #expect(lines[11].hasPrefix("0 {\"identifier\":\"org.curfew.command\",\"request\":"))
        #expect(
            lines.suffix(8).joined(separator: "\n") == """
                4 error: there is no request 99
                 = note: searched STORE, which keeps finished requests for a week by default
                 = help: curfew ps --all --store STORE
                4 error: there is no request of `nothing.at.all`
                 = help: curfew ps --store STORE
                2 error: `--needs` is about a request to come, which has no history
                 = help: leave it out

                """)
    }
}
