// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew retry, launch, edit and wait")
struct ChangeCommandsTests {
    /// Seven requests that wait for a date far away.
    private func filled() throws -> RequestDesk {
        let desk = try RequestDesk()
        for number in 1...7 {
            try desk.submit("org.example.n\(number)", "--on-pending", "add")
        }
        return desk
    }

    private func states(_ desk: RequestDesk) throws -> [String] {
        let document = try desk.run("ps", "--all", "--json").document()
        return (document["requests"] as? [[String: Any]] ?? [])
            .sorted { $0["id"] as? Int ?? 0 < $1["id"] as? Int ?? 0 }
            .compactMap { $0["state"] as? String }
    }

    /// Ends requests as a host would.
    private func end(_ desk: RequestDesk, _ outcomes: [(id: Int, outcome: Int)]) throws {
        let script = outcomes.map { id, outcome in
            """
            db.execute("UPDATE request SET state = 4, outcome = \(outcome), launches = 1 WHERE id = \(id)")
            """
        }.joined(separator: "\n")
        let done = try desk.python(
            "db = sqlite3.connect(store + '/requests.db')\n" + script + "\ndb.commit()")
        try #require(done.succeeded, "\(done)")
    }

    @Test("ranges name the requests that there are, and one without any is refused")
    func ranges() throws {
        let desk = try filled()
        #expect(try desk.run("cancel", "2-4", "3", "6").code == 0)
        #expect(
            try states(desk) == [
                "pending", "cancelled", "cancelled", "cancelled", "pending", "cancelled", "pending",
            ])
        #expect(try desk.run("retry", "2-3").code == 0)
        let shown = try desk.run("show", "1-2", "--json").records()
        #expect(shown.map { $0["id"] as? Int } == [1, 2])
        let none = try desk.run("cancel", "1", "8-9")
        #expect(none.code == 4)
        #expect(none.errors.hasPrefix("error: there is no request 8-9\n"))
        #expect(try states(desk)[0] == "pending")
        for text in ["4-2", "1-", "-", "1-2-3", "0-4"] {
            #expect(try desk.run("cancel", "--", text).code == 2, "\(text)")
        }
    }

    @Test("a request that is over is retried as it was, all that are named or none")
    func retry() throws {
        let desk = try RequestDesk()
        try desk.submit("org.example.a", "--payload", "abc", "--key", "k")
        #expect(try desk.run("cancel", "1").code == 0)
        let run = try desk.run("retry", "1")
        #expect(run.code == 0)
        #expect(run.output == "1  org.example.a  pending again, and may be launched at once\n")
        #expect(try desk.run("show", "1", "--payload").output == "abc")
        let shown = try desk.run("show", "1", "--json").document()
        #expect(shown["key"] as? String == "k" && shown["reason"] as? String == "by-hand")
        #expect(try desk.run("cancel", "1").code == 0)
        try desk.submit("org.example.b")
        let both = try desk.run("retry", "1", "2")
        #expect(both.code == 8)
        #expect(both.errors.hasPrefix("error: request 2 is pending, and was not retried\n"))
        #expect(both.errors.contains("  = help: to launch it now: curfew launch 2"))
        #expect(try states(desk) == ["cancelled", "pending"])
    }

    @Test("a pending request is made due now, and says what it still needs")
    func launch() throws {
        let desk = try RequestDesk()
        try desk.submit("org.example.a", "--needs", "network")
        let run = try desk.run("launch", "1")
        #expect(run.output == "1  org.example.a  due now, and still needs network\n")
        #expect(run.errors.hasPrefix("note: no host uses this store"))
        let listed = try desk.run("ps")
        #expect(listed.output.contains(#/pending +-/#), "\(listed.process)")
        #expect(try desk.run("cancel", "1").code == 0)
        #expect(try desk.run("launch", "1").code == 8)
        #expect(try desk.run("launch", "9").code == 4)
    }

    @Test("an edit changes what its options name, and nothing else")
    func edit() throws {
        let desk = try RequestDesk()
        try desk.submit("org.example.a", "--needs", "network", "--key", "k", "--attempts", "3")
        let run = try desk.run(
            "edit", "1", "--at", "2191-01-01T00:00Z", "--needs", "none", "--priority", "high",
            "--key", "none", "--json")
        let document = try run.document()
        #expect(document["due"] as? String == "2191-01-01T00:00:00.000Z")
        #expect((document["needs"] as? [String]) == [])
        #expect(document["priority"] as? String == "high")
        #expect(document["key"] is NSNull)
        #expect((document["retry"] as? [String: Any])?["attempts"] as? Int == 3)
        let cron = try desk.run(
            "edit", "1", "--at", "now", "--cron", "0 3 * * *", "--catch-up", "all", "--json")
        #expect((try cron.document()["due"] as? String)?.hasSuffix("T03:00:00.000Z") == true)
        let later = try desk.run("edit", "1", "--cron", "0 4 * * *", "--json").document()
        let repetition = try #require(later["repetition"] as? [String: Any])
        #expect(repetition["catchUp"] as? String == "all")
        // The date before which the old one was not to begin is no date of the new one.
        try desk.run("edit", "1", "--at", "2191-01-01T00:00Z", "--json")
        let again = try desk.run("edit", "1", "--cron", "0 5 * * *", "--json").document()
        #expect((again["due"] as? String)?.hasPrefix("2191") == false)
        let once = try desk.run("edit", "1", "--cron", "none", "--json").document()
        #expect(once["repetition"] is NSNull)
        #expect(try desk.run("log", "1").output.contains("edited: earliest, repetition"))
        for (words, code, reason) in [
            ([], 2, "needs something to change"),
            (["--priority", "hihg"], 2, "did you mean `--priority high`?"),
            (["--latest", "2190-01-01", "--every", "1h"], 2, "has no latest beginning"),
            (["--utc"], 2, "`--utc` says in which zone the dates of other options are"),
            (["--local", "--priority", "low"], 2, "write the expression too, `--cron '30 4"),
        ] as [([String], Int32, String)] {
            let run = try desk.run(["edit", "1"] + words)
            #expect(run.code == code && run.errors.contains(reason), "\(run.process)")
            #expect(run.errors.contains("  = note: nothing was done\n"), "\(run.process)")
        }
    }

    @Test(
        "a wait exits as the request ended, and the greatest status wins",
        arguments: [(1, 0), (2, 100), (3, 124), (6, 101)])
    func wait(outcome: Int, code: Int32) throws {
        let desk = try filled()
        try end(desk, [(1, 1), (2, outcome)])
        let run = try desk.run("wait", "1-2")
        #expect(run.code == code, "\(run.process)")
        #expect(run.output.hasPrefix("1  org.example.n1  succeeded\n2  org.example.n2  "))
        #expect(try desk.run("cancel", "3").code == 0)
        #expect(try desk.run("wait", "1", "3").code == 130)
    }

    @Test("a wait ends when the last of its requests is over, or its time is")
    func waitForOne() throws {
        let desk = try filled()
        let run = try desk.python(
            """
            waiting = subprocess.Popen([program, "wait", "1", "2", "--json", "--store", store],
                stdout=subprocess.PIPE, text=True)
            run("cancel", "1")
            print(json.loads(waiting.stdout.readline())["state"])
            run("cancel", "2")
            print(json.loads(waiting.stdout.readline())["id"], waiting.wait())
            """)
        #expect(run.output == "cancelled\n2 130\n", "\(run)")
        let late = try desk.run("wait", "3", "--timeout", "50ms")
        #expect(late.code == 7)
        #expect(late.errors.contains("error: request 3 was not over in time\n"))
        #expect(late.errors.contains("note: no host uses this store"))
        #expect(try desk.run("wait", "99").code == 4)
    }

    @Test("a list of some states has those, and a wrong word is refused")
    func listed() throws {
        let desk = try filled()
        try end(desk, [(1, 1), (2, 2), (3, 3)])
        #expect(try desk.run("cancel", "4").code == 0)
        func ids(_ states: String) throws -> [Int] {
            let document = try desk.run("ps", "--state", states, "--json").document()
            return (document["requests"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
                .sorted()
        }
        #expect(try ids("failed") == [2])
        #expect(try ids("failed,expired") == [2, 3])
        #expect(try ids("finished") == [1, 2, 3])
        #expect(try ids("cancelled,succeeded") == [1, 4])
        #expect(try ids("pending") == [5, 6, 7])
        let wrong = try desk.run("ps", "--state", "faild")
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("did you mean `--state failed`?"))
        #expect(try desk.run("ps", "--state", "failed", "--all").code == 2)
    }

    @Test("a watched list is printed again with each change")
    func watched() throws {
        let desk = try filled()
        let run = try desk.python(
            """
            watching = subprocess.Popen([program, "ps", "--watch", "--json", "--store", store],
                stdout=subprocess.PIPE, text=True)
            def count(): return len(json.loads(watching.stdout.readline())["requests"])
            print(count())
            run("cancel", "1")
            while count() != 6: pass
            watching.send_signal(signal.SIGINT)
            print(watching.wait())
            """)
        #expect(run.output == "7\n0\n", "\(run)")
    }

    @Test("a dry run says what would be stored, and when it would run first, and stores nothing")
    func dryRun() throws {
        let desk = try RequestDesk()
        let words = [
            "submit", "org.example.a", "--kind", "processing", "--at", "2190-12-24T18:00Z",
            "--dry-run",
        ]
        let first = try desk.run(words)
        #expect(first.code == 0)
        #expect(
            first.output.hasPrefix("would be queued  org.example.a, processing, due 2190-12-24"))
        #expect(first.output.contains("which does not exist yet"))
        #expect(!FileManager.default.fileExists(atPath: desk.store))
        try desk.submit("org.example.a")
        let second = try desk.run(words + ["--on-pending", "replace"])
        #expect(second.output.contains("  would take the place of 1\n"), "\(second.process)")
        #expect(
            second.output.contains(
                #/would run first: 2190-12-24 18:00:00, in .*as soon as .*a host uses this store/#),
            "\(second.process)")
        let document = try desk.run(words + ["--on-pending", "add", "--json"]).document()
        #expect(document["id"] is NSNull && document["dryRun"] as? Bool == true)
        #expect(
            (document["request"] as? [String: Any])?["due"] as? String == "2190-12-24T18:00:00.000Z"
        )
        #expect(try states(desk) == ["pending"])
        #expect(try desk.submit("org.example.b") == 2)
        let refused = try desk.run(
            words + ["--payload", "x", "--key", String(repeating: "k", count: 300)])
        #expect(refused.code == 2)
        for more in [["--wait"], ["--timeout", "1s"]] {
            #expect(try desk.run(words + more).code == 2, "\(more)")
        }
        #expect(try desk.run("submit", "org.example.c", "--every", "1h", "--wait").code == 2)
    }
}
