// SPDX-License-Identifier: Apache-2.0

import Scheduling
import TestSupport
import Testing

@testable import PluginBridge

@Suite("A manifest")
struct ManifestTests {
    /// Every key once.
    static let full = """
        {
          "id": "org.example.mirror",
          "version": "1.2.0-beta.1",
          "abi": 0,
          "library": "libmirror.so",
          "sha256": "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08",
          "needs": {
            "read": ["/usr/share/dict", "@PLUGIN@/words"], "write": ["@STATE@"],
            "run": ["/usr/bin/rsync"], "network": ["tcp:443", "tcp:80"], "memory": "2GB",
            "descriptors": 512, "processes": 8, "environment": ["HTTP_PROXY"]
          },
          "handlers": [
            {
              "identifier": "org.example.mirror.Copy-Files",
              "kind": "processing",
              "budget": "1.5min",
              "grace": "250ms",
              "maxConcurrency": 3,
              "maxInStore": 12, "onLeaseLost": "finish",
              "event": "copy",
              "events": [
                {"name": "copy_found", "parameters": ["text", "int64", "bool"]},
                {"name": "copy_done", "parameters": []},
                {"name": "idle"}
              ],
              "requires": ["external-power", "network"],
              "form": "entry",
              "isolation": "thread",
              "examples": [
                {"name": "small", "payload": "{\\"dir\\": \\"/srv/é\\"}"},
                {"name": "none", "payload": "@DIRECTORY@/in", "expect": "failure",
                 "files": {"in/b.txt": "two", "a": ""}}
              ]
            },
            {"identifier": "org.example.mirror.Look-Again", "kind": "app-refresh"}
          ]
        }
        """

    /// The least a manifest can be, with some members of the handler and of the manifest put in.
    static func manifest(_ handler: String = "", plugin: String = "") -> String {
        """
        {"id": "a.b", "version": "1.0.0", "abi": 0, "library": "l.so", \(plugin)
         "handlers": [{"identifier": "a.b.c", "kind": "processing"\(handler)}]}
        """
    }

    static func parse(_ text: String) -> Result<Manifest, ManifestFaults> {
        Manifest.parse(bytes: Array(text.utf8), file: "manifest.json")
    }

    static func handler(_ members: String) throws -> ManifestHandler {
        try #require(try parse(manifest(members)).get().handlers.first)
    }

    @Test("every key becomes a value")
    func everyKey() throws {
        let manifest = try Self.parse(Self.full).get()
        #expect(manifest.id == "org.example.mirror")
        #expect(manifest.version == "1.2.0-beta.1")
        #expect(manifest.abi == 0)
        #expect(manifest.library == "libmirror.so")
        #expect(manifest.libraryPosition == JSONPosition(line: 5, column: 14, offset: 86))
        #expect(manifest.libraryWidth == 14)
        #expect(
            manifest.sha256 == "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        #expect(manifest.sha256Position == JSONPosition(line: 6, column: 13, offset: 114))
        #expect(manifest.source.file == "manifest.json")
        var needs = ManifestNeeds()
        needs.read = ["/usr/share/dict", "@PLUGIN@/words"]
        needs.write = ["@STATE@"]
        needs.run = ["/usr/bin/rsync"]
        needs.network = .ports([443, 80])
        needs.memory = 2_000_000_000
        needs.descriptors = 512
        needs.processes = 8
        needs.environment = ["HTTP_PROXY"]
        #expect(manifest.needs == needs)
        #expect(manifest.handlers.count == 2)
        let copy = manifest.handlers[0]
        #expect(copy.identifier == "org.example.mirror.Copy-Files")
        #expect(copy.kind == .processing)
        #expect(copy.budget == 90_000_000_000)
        #expect(copy.grace == 250_000_000)
        #expect(copy.maxConcurrency == 3 && copy.maxInStore == 12)
        #expect(copy.onLeaseLost == .finish)
        #expect(copy.event == "copy")
        #expect(copy.events.map(\.selector.description) == ["copy_found:::", "copy_done", "idle"])
        #expect(copy.events.map(\.parameters) == [[.text, .int64, .bool], [], []])
        #expect(copy.requires == [.network, .externalPower])
        #expect(copy.form == .entry)
        #expect(copy.isolation == .thread)
        #expect(
            copy.examples == [
                ManifestExample(name: "small", payload: #"{"dir": "/srv/é"}"#),
                ManifestExample(
                    name: "none", payload: "@DIRECTORY@/in", expect: .failure,
                    files: [
                        ManifestExampleFile(path: "in/b.txt", .text("two")),
                        ManifestExampleFile(path: "a", .text("")),
                    ]),
            ])
        #expect(copy.position.line == 13)
        #expect(copy.position.column == 5)
        #expect(copy.identifierPosition.line == 14)
        #expect(copy.identifierPosition.column == 21)
        #expect(copy.eventPosition.line == 20)
        #expect(copy.eventPosition.column == 16)
        #expect(copy.eventPositions.map(\.line) == [22, 23, 24])
        #expect(copy.eventPositions.map(\.column) == [18, 18, 18])
    }

    @Test("a key that is left out has its default")
    func defaults() throws {
        let manifest = try Self.parse(Self.full).get()
        let look = manifest.handlers[1]
        #expect(look.budget == 30_000_000_000)
        #expect(look.grace == 5_000_000_000)
        #expect(look.maxConcurrency == 1 && look.maxInStore == nil)
        #expect(look.onLeaseLost == .stop)
        #expect(look.event == "look_again")
        #expect(look.events.isEmpty)
        #expect(look.requires.isEmpty)
        #expect(look.form == .entry)
        #expect(look.isolation == .thread)
        #expect(look.examples.isEmpty)
        #expect(look.position.line == 35)
        #expect(look.eventPosition == look.identifierPosition)
        #expect(try Self.handler("").budget == 600_000_000_000)
        let least = try Self.parse(Self.manifest()).get()
        #expect(least.sha256 == nil)
        #expect(least.sha256Position == nil)
        #expect(least.needs == nil)
        #expect(
            try Self.parse(Self.manifest(plugin: #""needs": {},"#)).get().needs == ManifestNeeds())
    }

    @Test("every value at its limit is accepted")
    func limits() throws {
        #expect(try Self.handler(#", "budget": "1ms""#).budget == 1_000_000)
        #expect(try Self.handler(#", "budget": "24h""#).budget == 86_400_000_000_000)
        #expect(try Self.handler(#", "grace": "0s""#).grace == 0)
        #expect(try Self.handler(#", "grace": "10min""#).grace == 600_000_000_000)
        #expect(try Self.handler(#", "maxConcurrency": 64"#).maxConcurrency == 64)
        let event = String(repeating: "e", count: 100)
        #expect(try Self.handler(#", "event": "\#(event)""#).hostEvents.count == 4)
        let long = String(repeating: "e", count: 128)
        let types = repeatElement(#""int32""#, count: 16).joined(separator: ", ")
        let events = #", "events": [{"name": "\#(long)", "parameters": [\#(types)]}]"#
        #expect(try Self.handler(events).events[0].parameters.count == 16)
        let handlers = (1...64).map { #"{"identifier": "a.h\#($0)", "kind": "processing"}"# }
        let many = #"""
            {"id": "\#(String(repeating: "i", count: 126)).b", "version": "1.0.0-\#(
                String(repeating: "x", count: 58))", "abi": 0,
             "library": "\#(String(repeating: "l", count: 252)).so",
             "handlers": [\#(handlers.joined(separator: ", "))]}
            """#
        #expect(try Self.parse(many).get().handlers.count == 64)
    }

    private static func example(_ members: String) throws -> ManifestExample {
        try #require(
            try handler(#", "examples": [{"name": "e", "payload": ""\#(members)}]"#).examples.first)
    }

    @Test("an example succeeds unless it says otherwise", arguments: ManifestExpectation.allCases)
    func expectations(_ expectation: ManifestExpectation) throws {
        #expect(
            try Self.example(#", "expect": "\#(expectation.rawValue)""#).expect == expectation)
        #expect(try Self.example("").expect == .success)
        #expect(try Self.example("").files.isEmpty)
        #expect(try Self.example(#", "files": {}"#).files.isEmpty)
    }

    @Test(
        "files have any relative paths",
        arguments: [
            "a", "a/b/c", ".a", "...", "a..", "a b", "é", "-", "a\\n", "..\\n", "a/\\n",
            String(repeating: "f", count: 255), String(repeating: "é", count: 127),
            String(repeating: "d/", count: 127) + "f",
        ])
    func filePaths(_ path: String) throws {
        let files = try Self.example(#", "files": {"\#(path)": "x"}"#).files
        #expect(
            files == [ManifestExampleFile(path: path.replacing("\\n", with: "\n"), .text("x"))])
    }

    @Test("files at their limits are accepted, in the order of the manifest")
    func fileLimits() throws {
        let members = (1...64).reversed().map { "\"d/f\($0)\": \"\($0)\"" }
        let files = try Self.example(", \"files\": {\(members.joined(separator: ", "))}").files
        #expect(files.map(\.content) == (1...64).reversed().map { .text(String($0)) })
        let text = String(repeating: "é", count: 32_768)
        #expect(
            try Self.example(#", "files": {"a": "\#(text)"}"#).files.first?.content == .text(text))
        for bytes in [0, 100_000_000, Manifest.exampleFileBytesLimit] {
            let large = try Self.example(#", "files": {"a": {"bytes": \#(bytes)}}"#).files
            #expect(large == [ManifestExampleFile(path: "a", .zeros(bytes))])
        }
        // A name that another begins with is no directory of it.
        let near = try Self.example(#", "files": {"in": "", "inn/a": "", "in-": "", "i": ""}"#)
        #expect(near.files.count == 4)
    }

    @Test("the directory is put into the payload wherever it is marked, and nowhere else")
    func directory() {
        func filled(_ payload: String) -> String {
            ManifestExample(name: "@DIRECTORY@", payload: payload).payload(in: "/tmp/@DIRECTORY@")
        }
        #expect(filled("") == "")
        #expect(filled("@DIRECTORY") == "@DIRECTORY")
        #expect(filled("@directory@") == "@directory@")
        #expect(filled("@DIRECTORY@") == "/tmp/@DIRECTORY@")
        #expect(filled("a@DIRECTORY@/b:@DIRECTORY@") == "a/tmp/@DIRECTORY@/b:/tmp/@DIRECTORY@")
        #expect(filled("@DIRECTORY@\u{301}") == "/tmp/@DIRECTORY@\u{301}")
        let file = ManifestExampleFile(path: "a", .text(""))
        #expect(!ManifestExample(name: "@DIRECTORY@", payload: "x").needsDirectory)
        #expect(ManifestExample(name: "a", payload: "x@DIRECTORY@").needsDirectory)
        #expect(ManifestExample(name: "a", payload: "x", files: [file]).needsDirectory)
    }

    @Test(
        "names are accepted as they are", arguments: ["a.b", "A.1-.-x", "0.0", "org.example.x.y.z"])
    func identifiers(_ id: String) throws {
        let text = Self.manifest().replacing("\"a.b\"", with: "\"\(id)\"")
        #expect(try Self.parse(text).get().id == id)
    }

    @Test("versions are accepted", arguments: ["0.0.0", "10.20.30", "1.2.3-a", "1.2.3-rc.1-x"])
    func versions(_ version: String) throws {
        let text = Self.manifest().replacing("1.0.0", with: version)
        #expect(try Self.parse(text).get().version == version)
    }

    @Test("the host's events are those of the contract")
    func hostEvents() throws {
        let handler = try Self.handler(#", "event": "tidy""#)
        #expect(
            handler.hostEvents.map(\.selector.description) == [
                "registeringtidy_done::", "tidy_progress::", "tidy_expired", "tidy_done::",
            ])
        #expect(
            handler.hostEvents.map(\.parameters) == [
                [.bool, .text], [.double, .text], [], [.bool, .text],
            ])
        #expect(handler.reservedEvents.map(\.selector.description).last == "schedulingtidy_done::")
    }

    @Test("an event with the same name and another arity is another event")
    func arity() throws {
        let events = try Self.handler(
            #", "events": [{"name": "c_done"}, {"name": "c_done", "parameters": ["bool"]}]"#
        ).events
        #expect(events.map(\.selector.description) == ["c_done", "c_done:"])
    }

    @Test("the source of a manifest describes faults found later")
    func laterFaults() throws {
        let manifest = try Self.parse(Self.full).get()
        let fault = manifest.source.diagnostic(
            at: manifest.libraryPosition, width: manifest.libraryWidth, code: "CF0312",
            rule: "abi-note", message: "its note says 3", help: "rebuild it")
        #expect(
            fault.rendered == """
                error[CF0312]: its note says 3
                  --> manifest.json:5:14
                   |
                 5 |   "library": "libmirror.so",
                   |              ^^^^^^^^^^^^^^
                   = help: rebuild it
                """)
    }
}
