// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("The headers, read by C and C++ compilers")
struct CompilerTests {
    @Test("each header compiles alone, and twice", arguments: try Headers.own.names(), Dialect.all)
    func alone(header: String, dialect: Dialect) throws {
        let source = "#include <\(header)>\n#include <\(header)>\n"
        let complaints = try dialect.complaints(about: source, .own, flags: ["-c"])
        #expect(complaints == "")
    }

    @Test("curfew.h includes every header")
    func umbrella() throws {
        let missed = try Headers.own.namesMissedByUmbrella()
        #expect(missed == [])
    }

    @Test("a plugin carries the note, also when it is stripped", arguments: Dialect.all)
    func note(dialect: Dialect) throws {
        let directory = try TemporaryDirectory()
        let library = directory.path("plugin.so")
        let source = "#include <curfew/plugin.h>\nCURFEW_PLUGIN_NOTE();\n"
        let complaints = try dialect.complaints(
            about: source, .own, flags: ["-shared", "-fPIC", "-s"], output: library)
        try #require(complaints == "")

        let notes = try Tool.readelf.check(["-nW", library]).output.split(separator: "\n")
        let note = notes.drop { !$0.contains(/\bCurfew +0x00000008\b/) }
        // The ABI number and the reserved word, little-endian.
        let version = try Headers.own.source(of: "curfew/version.h")
        let abi = try #require(version.firstMatch(of: /CURFEW_ABI_VERSION = (\d+)/)?.1)
        let number = try #require(UInt8(abi))
        let byte = (number < 16 ? "0" : "") + String(number, radix: 16)
        #expect(note.joined().contains("description data: \(byte) 00 00 00 00 00 00 00"))
        // In a segment of its own kind, so that it is found without section headers.
        let segments = try Tool.readelf.check(["-lW", library]).output
        #expect(segments.contains(/(?m)^ +\d\d .*\.note\.curfew/))
    }

    @Test("the smallest plugin of plugin.h is a plugin")
    func example() throws {
        let lines = try Headers.own.source(of: "curfew/plugin.h").split(separator: "\n")
        let example = lines.drop { !$0.contains("#include <curfew/plugin.h>") }
            .prefix { !$0.hasPrefix(" */") }.map { $0.dropFirst(" *".count) }
        try #require(example.count > 5)

        let directory = try TemporaryDirectory()
        let library = directory.path("plugin.so")
        let dialect = Dialect(compiler: .gcc, language: "c", standard: "c11")
        let complaints = try dialect.complaints(
            about: example.joined(separator: "\n") + "\n", .own,
            flags: [
                "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,--no-undefined",
                "-Wno-unused-parameter",
            ],
            output: library)
        try #require(complaints == "")
        let symbols = try Tool.readelf.check(["--dyn-syms", "-W", library]).output
        let exported = symbols.split(separator: "\n").filter { $0.contains("DEFAULT") }
            .filter { !$0.contains("UND") }
        #expect(exported.count == 1)
        #expect(exported.first?.hasSuffix(" curfew_plugin_entry") == true)
    }
}
