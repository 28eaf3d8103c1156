// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import TestSupport
import Testing

@Suite("Curfew's own plugins")
struct OwnPluginsTests {
    private static let names = [
        "backup", "crc32", "feed", "mirror", "refresh-subs", "sqlite-care", "sqlite-complete",
        "sync",
    ]

    @Test("each passes every case that applies to it")
    func plugins() {
        let wrong = InPairs.faults(Self.names) { try Self.passes($0) }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    private static func passes(_ name: String) throws {
        let run = try ConformRun(
            ["\(BuiltProducts.prefix)/lib/curfew/plugins/\(name)"],
            ["--level", WholeMatrix.level])
        #expect(run.broken.isEmpty)
        #expect(run.process.ending == .exited(0))
        // What is skipped does not apply: nothing is skipped because something else was broken.
        #expect(!run.told(.skip).contains { $0.contains("did not pass") })
        #expect(run.told(.pass).count > 25)
    }

    @Test("a handler of files is told to stop in one that takes long")
    func largeFiles() throws {
        let run = try ConformRun(
            "\(BuiltProducts.prefix)/lib/curfew/plugins/mirror", only: "cooperative-stop")
        #expect(run.status("cooperative-stop") == "pass", "\(run.process)")
    }

    @Test("the host keeps nothing of the programs that it has run")
    func programs() throws {
        let run = try ConformRun(
            "\(BuiltProducts.prefix)/lib/curfew/plugins/backup", only: "descriptors-and-children")
        #expect(run.status("descriptors-and-children") == "pass", "\(run.process)")
    }

    @Test("none is forgotten here")
    func all() throws {
        let installed = try FileManager.default.contentsOfDirectory(
            atPath: "\(BuiltProducts.prefix)/lib/curfew/plugins")
        #expect(installed.sorted() == Self.names)
    }
}
