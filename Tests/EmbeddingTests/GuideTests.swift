// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// The guides of `Documentation/` are programs: whoever follows them gets what they show.
@Suite("The guides, followed command by command")
struct GuideTests {
    @Test("What a guide says to write and to run works, and prints what it shows")
    func follow() throws {
        let installation = try Installation.forTests()
        // What takes longest first.
        let wrong = InPairs.faults([
            "embedding-the-host", "writing-a-plugin", "writing-a-plugin-in-cpp",
            "writing-a-plugin-in-rust", "proving-a-plugin", "requests", "calling-functions",
            "background-tasks", "porting", "running-programs", "from-cron", "schedules",
            "isolating-plugins", "control", "service",
            "installing-plugins",
        ]) { name in
            let guide = try Guide(name)
            guard guide.steps.count > 5 else { throw TestFault(text: "hardly anything is shown") }
            try GuideReader(installation).follow(guide)
        }
        for fault in wrong { Issue.record("\(fault)") }
    }

    @Test(
        "The guide to a queue that machines share works with a server",
        .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
    func share() throws {
        let server = try PostgresServer.shared
        try server.run("CREATE DATABASE curfew")
        let sockets = try TemporaryDirectory()
        try GuideReader(
            try Installation.forTests(),
            variables: [
                "PGHOST": server.directory, "XDG_RUNTIME_DIR": sockets.path,
                "CURFEW_PLUGIN_PATH": sockets.path,
            ]
        ).follow(try Guide("sharing-a-queue"))
    }

    @Test("Every guide is followed")
    func isFollowed() throws {
        let guides = try FileManager.default
            .contentsOfDirectory(atPath: "\(BuiltProducts.packageRoot)/Documentation")
            .filter { $0.hasSuffix(".md") }
        // Tables are no guides.
        let tables = [
            "README.md", "a-tasks-way.md", "glossary.md", "hand-written-parsers.md",
            "loading-checks.md", "source-documents.md", "threat-model.md", "thresholds.md",
        ]
        #expect(
            guides.filter { !tables.contains($0) }.sorted() == [
                "alerts.md", "background-tasks.md", "calling-functions.md", "control.md",
                "embedding-the-host.md",
                "from-cron.md", "installing-plugins.md", "isolating-plugins.md", "porting.md",
                "proving-a-plugin.md",
                "requests.md",
                "running-programs.md", "schedules.md", "service.md", "sharing-a-queue.md",
                "watching.md", "writing-a-plugin-in-cpp.md",
                "writing-a-plugin-in-rust.md",
                "writing-a-plugin.md",
            ])
    }

    @Test(
        "Every link of what stands in the repository leads to something that is there",
        arguments: [
            "README.md", "CONTRIBUTING.md", "Documentation/README.md",
            "Documentation/writing-a-plugin.md",
            "Documentation/writing-a-plugin-in-cpp.md", "Documentation/writing-a-plugin-in-rust.md",
            "Documentation/embedding-the-host.md", "Documentation/calling-functions.md",
            "Documentation/proving-a-plugin.md", "Documentation/requests.md",
            "Documentation/running-programs.md", "Documentation/from-cron.md",
            "Documentation/schedules.md", "Documentation/control.md", "Documentation/service.md",
            "Documentation/sharing-a-queue.md", "Documentation/watching.md",
            "Documentation/alerts.md",
            "Documentation/installing-plugins.md", "Documentation/isolating-plugins.md",
            "SECURITY.md",
            "Documentation/background-tasks.md", "Documentation/porting.md",
            "Documentation/a-tasks-way.md", "Documentation/hand-written-parsers.md",
            "Documentation/loading-checks.md", "Documentation/glossary.md",
            "Documentation/source-documents.md", "Documentation/thresholds.md",
            "Documentation/threat-model.md",
            "Documentation/codes/loading.md",
            "Documentation/codes/conformance.md",
        ])
    func links(document: String) throws {
        let root = URL(fileURLWithPath: BuiltProducts.packageRoot)
        let file = root.appendingPathComponent(document)
        let text = try String(contentsOf: file, encoding: .utf8)
        for link in text.matches(of: /\]\(([^)#\s]*)(?:#([^)\s]+))?\)/) {
            let target = file.deletingLastPathComponent()
                .appendingPathComponent(String(link.1)).standardized
            let path = link.1.isEmpty ? file.path : target.path
            #expect(FileManager.default.fileExists(atPath: path), "\(link.0)")
            guard let anchor = link.2 else { continue }
            // As GitHub names the places of titles.
            let titles = try String(contentsOfFile: path, encoding: .utf8)
                .matches(of: /(?m)^#+ (.*)$/)
                .map {
                    $0.1.lowercased().filter { $0.isLetter || $0.isNumber || " -".contains($0) }
                        .replacingOccurrences(of: " ", with: "-")
                }
            #expect(titles.contains(String(anchor)), "\(link.0)")
        }
    }

    @Test(
        "A guide that is wrong is noticed, where it is wrong",
        arguments: [
            ("```sh\nfalse\n```", "wrong.md:1"),
            ("```console\n$ echo one\ntwo\n```", "wrong.md:2"),
            ("```console\n$ echo one\none\n$ false\n```", "wrong.md:4"),
            ("```console\n$ cat there/is\nsomething\n```", "wrong.md:2"),
            ("```c\nint x;\n```", "wrong.md:1"),
            ("```sh\ntrue\n", "wrong.md ends"),
        ])
    func wrong(text: String, place: String) throws {
        let error = #expect(throws: TestFault.self) {
            try GuideReader(try Installation.forTests()).follow(Guide("wrong", text: text))
        }
        #expect(error?.text.hasPrefix(place) == true, "\(String(describing: error))")
    }

    @Test("Directories, variables and codes go from one step to the next")
    func goesOn() throws {
        let reader = try GuideReader(try Installation.forTests())
        try reader.follow(
            Guide(
                "right",
                text: """
                    ```sh
                    mkdir there && cd there
                    export WORD=apple
                    ```
                    As `sub/file`:
                    ```text
                    one $WORD
                    ```
                    ```console
                    $ cat sub/file; echo $WORD 12 pears
                    one $WORD
                    apple … pears
                    $ sh -c 'exit 124'
                    $ echo $?
                    124
                    ```
                    """))
        #expect(try reader.place.read("there/sub/file") == Array("one $WORD\n".utf8))
    }

    @Test(
        "The mark … stands for any text, and for nothing else",
        arguments: [
            ("a b c", "a … c", true), ("a b c", "a … d", false), ("a b c", "…", true),
            ("a b c", "a b", false), ("a b c", "b…", false), ("a\nb\nc", "a\n…c", true),
            ("a x b c", "a … b …", true), ("abc", "a…b…c", true), ("acb", "a…b…c", false),
        ])
    func marks(text: String, shown: String, agrees: Bool) {
        #expect(GuideReader.agrees(text, with: shown) == agrees)
    }
}
