// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew man")
struct ManualTests {
    @Test("two readers of manuals find nothing to say against any page")
    func lint() throws {
        let files = try TemporaryDirectory()
        #expect(try CommandRun("man", "--into", files.path).code == 0)
        let pages = try FileManager.default.contentsOfDirectory(atPath: files.path)
        #expect(pages.count > 5)
        for page in pages {
            let path = files.path(page)
            let mandoc = try ChildProcess.run("mandoc", ["-Tlint", "-Wall", path])
            #expect(mandoc.succeeded && mandoc.output.isEmpty, "\(mandoc)")
            let groff = try ChildProcess.run("groff", ["-man", "-ww", "-Tutf8", "-z", path])
            #expect(groff.succeeded && groff.errorOutput.isEmpty, "\(page): \(groff)")
            // ASCII alone is the same everywhere.
            #expect(try files.read(page).allSatisfy { $0 < 0x80 })
        }
    }

    @Test("a page shows what help shows, and can be copied from")
    func page() throws {
        let files = try TemporaryDirectory()
        #expect(try CommandRun("man", "--into", files.path).code == 0)
        let shown = try ChildProcess.run(
            "man", ["-l", files.path("curfew-run.1")],
            environment: CommandRun.environment.merging(["MANWIDTH": "200"]) { $1 })
        #expect(shown.succeeded && shown.errorOutput.isEmpty)
        let help = try CommandRun("help", "run").output
        for line in CommandFaces.lines("examples", help) {
            #expect(shown.output.contains(line.drop { $0 == " " }))
        }
        #expect(shown.output.contains("--payload TEXT|@FILE|-"))
        #expect(
            shown.output.contains(
                "curfew run [OPTION]... IDENTIFIER|-- PROGRAM [ARGUMENT]..."))
        #expect(shown.output.contains("curfew-run - run one task now"))
        // A reader that shows hyphens would show signs that no shell takes for an option.
        let page = String(decoding: try files.read("curfew-run.1"), as: UTF8.self)
        #expect(page.contains(#"\-\-payload"#) && !page.contains("--payload"))
    }

    @Test("a page says in the C locale that more may follow")
    func plain() throws {
        let files = try TemporaryDirectory()
        #expect(try CommandRun("man", "--into", files.path).code == 0)
        let shown = try ChildProcess.run(
            "man", ["-l", files.path("curfew-lint.1")],
            environment: CommandRun.environment.merging(["LC_ALL": "C"]) { $1 })
        #expect(shown.output.contains("curfew lint PATH... [OPTION]..."), "\(shown)")
    }

    @Test("a page goes to standard output, and all of them into a directory that is there")
    func places() throws {
        let files = try TemporaryDirectory()
        #expect(try CommandRun("man", "--into", files.path).code == 0)
        #expect(try CommandRun("man").process.outputBytes == files.read("curfew.1"))
        #expect(try CommandRun("man", "lint").process.outputBytes == files.read("curfew-lint.1"))
        let nowhere = try CommandRun("man", "--into", files.path("no"))
        #expect(nowhere.code == 1)
        #expect(nowhere.errors.contains("cannot be written: No such file or directory"))
        #expect(try CommandRun("man", "run", "--into", files.path).code == 2)
        #expect(try CommandRun("man", "rnu").errors.contains("did you mean `run`?"))
    }
}
