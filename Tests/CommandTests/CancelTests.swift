// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew cancel, release and db; stores that cannot be used")
struct CancelTests {
    private func filled() throws -> RequestDesk {
        let desk = try RequestDesk()
        for name in ["a", "b", "c"] { try desk.submit("org.example.\(name)") }
        return desk
    }

    private func states(_ desk: RequestDesk) throws -> [String] {
        let document = try desk.run("ps", "--all", "--json").document()
        return (document["requests"] as? [[String: Any]] ?? [])
            .sorted { $0["id"] as? Int ?? 0 < $1["id"] as? Int ?? 0 }
            .compactMap { $0["state"] as? String }
    }

    @Test("by number, by identifier, or all; a second time it was over before")
    func cancel() throws {
        let desk = try filled()
        let first = try desk.run("cancel", "1")
        #expect(first.output == "1  org.example.a  cancelled\n")
        let again = try desk.run("cancel", "1")
        #expect(again.code == 0)
        #expect(again.output == "1  org.example.a  had finished before: cancelled\n")
        #expect(try desk.run("cancel", "--identifier", "org.example.b").code == 0)
        #expect(try states(desk) == ["cancelled", "cancelled", "pending"])
        let all = try desk.run("cancel", "--all", "--json").document()
        let requests = try #require(all["requests"] as? [[String: Any]])
        #expect(requests.map { $0["became"] as? String } == ["cancelled"])
        let nothing = try desk.run("cancel", "--all")
        #expect(nothing.code == 0)
        #expect(nothing.errors == "note: no request is pending; nothing was cancelled\n")
    }

    @Test("a dry run shows it, and changes nothing")
    func dry() throws {
        let desk = try filled()
        let run = try desk.run("cancel", "--all", "--dry-run")
        #expect(run.output.split(separator: "\n").count == 3)
        #expect(run.output.hasPrefix("1  org.example.a  would be cancelled\n"))
        #expect(try states(desk) == ["pending", "pending", "pending"])
    }

    @Test("with an unknown number among them nothing is cancelled")
    func unknown() throws {
        let desk = try filled()
        for more in [[], ["--dry-run"]] {
            let run = try desk.run(["cancel", "1", "99"] + more)
            #expect(run.code == 4)
            #expect(run.errors.hasPrefix("error: there is no request 99\n"))
            #expect(run.errors.contains("  = note: nothing was cancelled\n"))
        }
        #expect(try states(desk) == ["pending", "pending", "pending"])
        for words in [[], ["--all", "1"], ["one"], ["-1"], ["0"], ["99999999999999999999"]] {
            #expect(try desk.run(["cancel"] + words).code == 2, "\(words)")
        }
    }

    @Test("only a parked request is released")
    func release() throws {
        let desk = try filled()
        let waiting = try desk.run("release", "1")
        #expect(waiting.code == 8)
        #expect(waiting.errors.hasPrefix("error: request 1 is pending, and was not released\n"))
        #expect(try desk.run("release", "9").code == 4)
        let parked = try desk.python(
            """
            db = sqlite3.connect(store + "/requests.db")
            db.execute("UPDATE request SET state = 3 WHERE id = 1")
            db.commit()
            print(*run("release", "1"))
            """)
        #expect(
            parked.output.hasPrefix(
                "0 1  org.example.a  pending again, and may be launched at once\n"),
            "\(parked)")
        #expect(try states(desk)[0] == "pending")
    }

    @Test("a check finds a sound store sound, and a damaged one damaged")
    func check() throws {
        let desk = try filled()
        #expect(try desk.run("db", "check", "--full").output == "\(desk.store): ok\n")
        #expect(try desk.run("db", "check").code == 0)
        let counted = try desk.python(
            """
            db = sqlite3.connect(store + "/requests.db")
            db.execute("UPDATE journal SET processing = 77")
            db.commit()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            """)
        #expect(counted.succeeded)
        #expect(try desk.run("db", "check").code == 0)
        let full = try desk.run("db", "check", "--full")
        #expect(full.code == 1)
        #expect(full.output == "the counter processing is 77, and should be 3\n", "\(full.process)")
        #expect(full.errors.hasPrefix("error: the store \(desk.store) is damaged\n"))
        let document = try desk.run("db", "check", "--full", "--json")
        #expect(document.code == 1)
        #expect(try document.document()["ok"] as? Bool == false)
    }

    @Test("settings that cannot be read are told, never taken for none, and can be forgotten")
    func forget() throws {
        let desk = try filled()
        let set = ["settings", "enablement=removed", "--identifier", "org.example.a"]
        #expect(try desk.run(set).code == 0)
        let damaged = try desk.python(
            """
            db = sqlite3.connect(store + "/requests.db")
            db.execute("UPDATE value SET bytes = CAST('x' || bytes AS BLOB) WHERE name = 'settings'")
            db.commit()
            """)
        #expect(damaged.succeeded)
        for words in [["settings"], set, ["why", "1"]] {
            let run = try desk.run(words)
            #expect(run.code == 6, "\(words)")
            #expect(run.errors.contains("`curfew db forget settings`"), "\(run.process)")
        }
        let check = try desk.run("db", "check")
        #expect(check.code == 1)
        #expect(check.output.hasPrefix("the store's value `settings` cannot be read"))
        #expect(try desk.run("db", "forget", "setting").code == 2)
        #expect(
            try desk.run("db", "forget", "settings").output
                == "forgotten: settings; handlers that were suspended or removed are launched again\n"
        )
        #expect(try desk.run("db", "check", "--full").code == 0)
        #expect(try states(desk).count == 3)
    }

    @Test(
        "a check says of a store that is newer, another program's, or without a log what it is",
        arguments: [
            ("PRAGMA user_version = 99", 6, "is a store of version 99, and this Curfew knows"),
            ("PRAGMA application_id = 7", 6, "is not a store of Curfew: another program"),
            ("PRAGMA journal_mode = DELETE", 1, "into its own file instead of a log"),
        ])
    func checkOfOthers(statement: String, code: Int32, said: String) throws {
        let desk = try filled()
        let changed = try ChildProcess.run("sqlite3", [desk.store + "/requests.db", statement])
        #expect(changed.succeeded)
        for words in [["db", "check"], ["db", "check", "--full"]] {
            let run = try desk.run(words)
            #expect(run.code == code)
            let text = (run.output + run.errors).split(whereSeparator: \.isWhitespace)
            #expect(text.joined(separator: " ").contains(said), "\(run.process)")
        }
    }

    @Test("a backup is a copy of its own, and never takes the place of a file")
    func backup() throws {
        let desk = try filled()
        let run = try desk.run("db", "backup", "copy.db")
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("copy.db: ") && run.output.hasSuffix(" bytes, on the disk\n"))
        let again = try desk.run("db", "backup", "copy.db")
        #expect(again.code == 8)
        #expect(again.errors.hasPrefix("error: `copy.db` exists\n"))
        try FileManager.default.createDirectory(
            atPath: desk.files.path("other"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(
            atPath: desk.files.path("copy.db"), toPath: desk.files.path("other/requests.db"))
        let copy = try CommandRun("ps", "--store", desk.files.path("other"))
        #expect(copy.output.split(separator: "\n").count == 4)
        for words in [
            ["backup"], ["chekc"], ["check", "x"], ["backup", "x", "--full"], ["forget"],
        ] {
            #expect(try desk.run(["db"] + words).code == 2, "\(words)")
        }
    }

    @Test(
        "the name of a backup is a path, and the copy is whole and its owner's alone",
        arguments: [":memory:", "file:x.db", "file:x.db?mode=memory", "./a b", "\u{301}", "-"])
    func backupNames(name: String) throws {
        let desk = try filled()
        // Others could read what is made under such a umask, and the owner could not under the other.
        for (umask, directory) in [("000", "open"), ("777", "closed")] {
            let run = try ChildProcess.run(
                "/bin/sh",
                [
                    "-c",
                    #"umask 077; mkdir "$1"; cd "$1"; umask "$2"; exec "$0" db backup --store "$3" -- "$4""#,
                    CommandRun.program, directory, umask, desk.store, name,
                ], environment: CommandRun.environment, input: "", directory: desk.files.path,
                limit: .seconds(60))
            #expect(run.ending == .exited(0), "\(run)")
            let place = desk.files.path(directory)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: place)
                    == [name.replacing("./", with: "")])
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(place)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let size = try #require(attributes[.size] as? Int)
            #expect(size > 2_048)
            // Taken back, as the help says.
            try FileManager.default.moveItem(
                atPath: "\(place)/\(name)", toPath: "\(place)/requests.db")
            let restored = try CommandRun("ps", "--store", place)
            #expect(restored.output.split(separator: "\n").count == 4, "\(restored.process)")
            let next = try CommandRun(
                "submit", "org.example.d", "--after", "1h", "--json", "--store", place)
            #expect(try next.document()["id"] as? Int == 4)
        }
    }

    @Test(
        "without a store each command says so, leaves with 4, and makes none",
        arguments: [
            ["ps"], ["show", "1"], ["why", "1"], ["log"], ["cancel", "1"], ["release", "1"],
            ["retry", "1"], ["launch", "1"], ["edit", "1", "--priority", "high"], ["wait", "1"],
            ["db", "check"], ["db", "backup", "x"], ["settings"],
            ["settings", "enablement=suspended"],
        ])
    func none(words: [String]) throws {
        let desk = try RequestDesk()
        let run = try desk.run(words)
        #expect(run.code == 4)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("error: there is no store at \(desk.store)\n"))
        #expect(!FileManager.default.fileExists(atPath: desk.store))
    }

    @Test(
        "a store that has lost its file, or all tables in it, is told alike by each command",
        arguments: [
            ("os.remove(file)", "CF0031", "requests.db is not there, and "),
            ("open(file, 'w').close()", "CF0028", "requests.db is empty, and "),
            (
                "os.remove(file); db = sqlite3.connect(file); os.chmod(file, 0o600); "
                    + "db.execute('PRAGMA user_version = 0'); db.execute('VACUUM')",
                "CF0028", "requests.db has no tables, and "
            ),
        ])
    func lost(loss: String, code: String, said: String) throws {
        let desk = try filled()
        let lost = try desk.python(
            """
            file = store + "/requests.db"
            for end in ("-wal", "-shm"):
                if os.path.exists(file + end): os.remove(file + end)
            \(loss)
            """)
        #expect(lost.succeeded, "\(lost)")
        for words in [
            ["ps"], ["show", "1"], ["why", "1"], ["why", "org.example.a"], ["log"], ["settings"],
            ["cancel", "1"], ["cancel", "--all"], ["release", "1"], ["db", "check"],
            ["db", "check", "--full"], ["db", "backup", "x"], ["db", "forget", "clock"],
            ["settings", "enablement=suspended"], ["submit", "org.example.b"],
        ] {
            let run = try desk.run(words)
            #expect(run.code == 6, "\(words): \(run.process)")
            #expect(run.errors.hasPrefix("error[\(code)]: "), "\(words): \(run.process)")
            #expect(run.errors.contains(said), "\(words): \(run.process)")
            #expect(run.output.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: desk.files.path("x")))
    }

    @Test(
        "a backup whose file cannot be made there is refused with the reason and what to do",
        arguments: [
            ("no where/x.db", "there is no directory `no where`", "mkdir -p 'no where'\n"),
            ("new/", "there is no directory `new`", "mkdir -p new\n"),
            (
                "/nowhere/at/all/x.db", "there is no directory `/nowhere/at/all`",
                "mkdir -p /nowhere"
            ),
            ("store/requests.db/x.db", "Not a directory", "curfew db backup FILE"),
            (String(repeating: "x", count: 300), "File name too long", "curfew db backup FILE"),
        ])
    func backupNowhere(name: String, reason: String, help: String) throws {
        let desk = try filled()
        let run = try desk.run("db", "backup", name)
        #expect(run.code == 2, "\(run.process)")
        #expect(
            run.errors.hasPrefix("error: the backup `\(name)` cannot be made: "), "\(run.process)")
        #expect(run.errors.contains(reason) && run.errors.contains(help), "\(run.process)")
        #expect(run.errors.contains("  = note: nothing was done\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: desk.files.path) == ["store"])
    }

    @Test("a store that others may write to, or that is damaged, newer or busy is left alone")
    func unusable() throws {
        let desk = try filled()
        let said = try desk.python(
            """
            def tell(what, words=("ps",)):
                code, out, errors = run(*words)
                print(what, code, out == "", errors.split(":")[0], "explain" in errors)
            db = sqlite3.connect(store + "/requests.db", isolation_level=None)
            db.execute("BEGIN IMMEDIATE")
            tell("busy", ("submit", "org.example.d", "--kind", "processing"))
            db.execute("ROLLBACK")
            db.execute("PRAGMA user_version = 99")
            tell("newer")
            db.execute("PRAGMA user_version = 1")
            db.execute("PRAGMA application_id = 5")
            tell("foreign")
            db.close()
            os.chmod(store, 0o777)
            tell("open")
            os.chmod(store, 0o700)
            for name in os.listdir(store):
                if name != "requests.db": os.remove(store + "/" + name)
            with open(store + "/requests.db", "r+b") as file:
                file.write(b"rubbish" * 100)
            tell("damaged")
            """)
        #expect(
            said.output == """
                busy 6 True error[CF0024] True
                newer 6 True error[CF0029] True
                foreign 6 True error[CF0028] True
                open 5 True error[CF0017] True
                damaged 6 True error[CF0028] True

                """, "\(said)")
    }
}
