// SPDX-License-Identifier: Apache-2.0
import Scheduling
import TestSupport
import Testing

@testable import PluginBridge

@Suite("A list of permitted handlers")
struct PermittedHandlersTests {
    static func list(_ identifiers: [String], modes: [String] = ["fetch", "processing"]) -> String {
        func array(_ texts: [String]) -> String {
            "<array>" + texts.map { "<string>\($0)</string>" }.joined() + "</array>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>BGTaskSchedulerPermittedIdentifiers</key>\(array(identifiers))
            <key>UIBackgroundModes</key>\(array(modes))
            </dict></plist>
            """
    }

    private func parse(_ text: String) throws -> PermittedHandlers {
        try PermittedHandlers.parse(bytes: Array(text.utf8), file: "Info.plist").get()
    }

    private func faults(_ marked: MarkedText) -> [Diagnostic] {
        switch PermittedHandlers.parse(bytes: marked.bytes, file: "Info.plist") {
        case .success: []
        case .failure(let faults): faults.diagnostics
        }
    }

    @Test("permits what it names, and what goes on after a wildcard's point")
    func identifiers() throws {
        let list = try parse(Self.list(["org.example.a", "org.example.many.*"]))
        for identifier in ["org.example.a", "org.example.many.b", "org.example.many.b.c"] {
            #expect(list.refusal(identifier: identifier, kind: .processing) == nil)
            #expect(list.refusal(identifier: identifier, kind: .appRefresh) == nil)
        }
        for identifier in [
            "org.example.b", "org.example.A", "org.example.a.b", "org.example", "org.example.many",
            "org.example.many.", "org.example.manyb", "org.example.many.*", "",
        ] where identifier != "org.example.many.*" {
            #expect(
                list.refusal(identifier: identifier, kind: .processing)
                    == PermittedRefusal(
                        rule: .identifierNotListed,
                        message: "the handler \"\(identifier)\" is not permitted by Info.plist",
                        help: "add <string>\(identifier)</string> to its"
                            + " BGTaskSchedulerPermittedIdentifiers"), "\(identifier)")
        }
    }

    @Test("permits the kinds whose modes it names, whatever other modes there are")
    func modes() throws {
        let fetch = try parse(Self.list(["a.b"], modes: ["audio", "fetch"]))
        #expect(fetch.refusal(identifier: "a.b", kind: .appRefresh) == nil)
        #expect(
            fetch.refusal(identifier: "a.b", kind: .processing)
                == PermittedRefusal(
                    rule: .modeNotListed,
                    message: "the handler \"a.b\" is of the kind processing, which Info.plist does"
                        + " not permit",
                    help: "add <string>processing</string> to its UIBackgroundModes"))
        let processing = try parse(Self.list(["a.b"], modes: ["processing"]))
        #expect(processing.refusal(identifier: "a.b", kind: .processing) == nil)
        #expect(
            processing.refusal(identifier: "a.b", kind: .appRefresh)?.help
                == "add <string>fetch</string> to its UIBackgroundModes")
        let none = try parse(Self.list([], modes: []))
        #expect(none.refusal(identifier: "a.b", kind: .processing)?.rule == .identifierNotListed)
    }

    @Test("tells all faults at once, each at its place")
    func allAtOnce() {
        let marked = MarkedText(
            """
            <plist version="1.0">
            <dict>
                <key>i</key>‸<integer>one</integer>
                <key>BGTaskSchedulerPermittedIdentifiers</key>
                <array>‸<string>*</string><string>org.example.a</string>‸<true/></array>
                ‸<key>i</key><true/>
                <key>UIBackgroundModes</key>‸<string>fetch</string>
            </dict>
            </plist>
            """)
        let found = faults(marked)
        #expect(found.map { "\($0.line):\($0.column)" } == marked.places)
        #expect(
            found.map(\.rule) == [
                "plist-value", "permitted-identifier", "permitted-type", "plist-duplicate-key",
                "permitted-type",
            ])
        #expect(
            found.first?.rendered == """
                error[CF0412]: `one` is not a whole number of 64 bits
                  --> Info.plist:3:17
                   |
                 3 |     <key>i</key><integer>one</integer>
                   |                 ^^^^^^^^^
                   = help: write <integer>12</integer>
                """)
    }

    @Test("the number of faults that are told is bounded")
    func bounded() {
        let many = Self.list(Array(repeating: "*", count: 1_000))
        #expect(faults(MarkedText(many)).count == 100)
        let values = (0..<1_000).map { "<key>k\($0)</key><integer/>" }.joined()
        #expect(faults(MarkedText("<plist><dict>\(values)</dict></plist>")).count == 100)
    }

    @Test("a file is read through links, and nothing but a file")
    func files() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.list(["a.b"]), to: "Info.plist")
        try directory.link("link.plist", to: "Info.plist")
        let path = directory.path("link.plist")
        let list = try PermittedHandlers.read(file: path).get()
        #expect(list.file == path)
        #expect(list.refusal(identifier: "a.b", kind: .processing) == nil)
        try directory.makePipe("pipe")
        let padding = String(repeating: " ", count: PropertyListReader.sizeLimit)
        try directory.write(Self.list(["a.b"]) + padding, to: "large.plist")
        for (name, message, rule) in [
            ("none", "cannot open it: No such file or directory", "plist-file"),
            (".", "the list is not a regular file", "plist-file"),
            ("pipe", "the list is not a regular file", "plist-file"),
            ("a\0b", "the path of the list is empty or has a zero byte in it", "plist-file"),
            ("large.plist", "the file has more than 262144 bytes", "plist-size"),
        ] {
            guard case .failure(let faults) = PermittedHandlers.read(file: directory.path(name))
            else {
                Issue.record("\(name) is accepted")
                continue
            }
            #expect(faults.diagnostics.map(\.message) == [message])
            #expect(faults.diagnostics.map(\.rule) == [rule])
        }
        #expect(throws: PermittedFaults.self) { try PermittedHandlers.read(file: "").get() }
    }
}
