// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import PluginBridge
import TestSupport
import Testing

@Suite("What the loader would do with a library")
struct ELFFactsTests {
    private func build(_ source: String, _ flags: [String]) throws -> TemporaryDirectory {
        let files = try TemporaryDirectory()
        try files.write(source, to: "a.c")
        try files.run("gcc", ["-shared", "-fPIC", "-o", "liba.so", "a.c"] + flags)
        return files
    }

    private func facts(_ source: String, _ flags: [String] = []) throws -> ELFFacts {
        try read("liba.so", in: try build(source, flags))
    }

    /// The directory is there for as long as it is read.
    private func read(_ name: String, in files: TemporaryDirectory) throws -> ELFFacts {
        try withExtendedLifetime(files) { try ELFFacts.read(path: files.path(name)).get() }
    }

    private static let everyKind = """
        extern int wanted(void);
        extern int perhaps(void) __attribute__((weak));
        extern int variable;
        int offered(void) { return wanted() + variable + (perhaps ? perhaps() : 0); }
        __attribute__((weak)) int weak(void) { return 1; }
        __attribute__((visibility("protected"))) int kept(void) { return 2; }
        __attribute__((visibility("hidden"))) int hidden(void) { return 3; }
        static int local(void) { return 4; }
        int (*data)(void) = local;
        """

    @Test("symbols are offered or taken", arguments: ["gnu", "sysv", "both"])
    func symbols(_ hash: String) throws {
        let found = try facts(Self.everyKind, ["-Wl,--hash-style=\(hash)"])
        #expect(found.exportedNames.sorted() == ["data", "kept", "offered", "weak"])
        #expect(Set(found.imports).isSuperset(of: ["wanted", "perhaps", "variable"]))
        #expect(Set(found.imports).isDisjoint(with: found.exportedNames + ["hidden", "local", ""]))
        #expect(found.weakImports.contains("perhaps"))
        #expect(Set(found.weakImports).isDisjoint(with: ["wanted", "variable"]))
    }

    @Test("a library that offers nothing still takes", arguments: ["gnu", "sysv", "both"])
    func nothingOffered(_ hash: String) throws {
        let found = try facts(
            "extern int wanted(void); static int (*keep)(void) __attribute__((used)) = wanted;",
            ["-Wl,--hash-style=\(hash)"])
        #expect(found.exportedNames == [])
        #expect(found.imports.contains("wanted"))
        let calls = try facts(
            "extern int wanted(void); __attribute__((constructor)) static void f(void) { wanted(); }",
            ["-Wl,--hash-style=\(hash)"])
        #expect(calls.exportedNames == [])
        #expect(calls.imports.contains("wanted"))
    }

    @Test("as many are offered as the summary counts")
    func sameCount() throws {
        let files = try build(Self.everyKind, [])
        let summary = try ELFSummary.read(path: files.path("liba.so")).get()
        let found = try read("liba.so", in: files)
        #expect(summary.exports == found.exportedNames.count)
        #expect(summary.needed == found.needed)
    }

    @Test("of versions, the names are offered as well")
    func versions() throws {
        let files = try TemporaryDirectory()
        try files.write("int a(void) { return 1; } int b(void) { return 2; }", to: "a.c")
        try files.write("V1 { global: a; local: *; };", to: "a.map")
        try files.run(
            "gcc",
            ["-shared", "-fPIC", "-o", "liba.so", "a.c", "-Wl,--version-script=a.map"])
        let found = try read("liba.so", in: files)
        #expect(found.exportedNames.sorted() == ["V1", "a"])
    }

    @Test("what is wanted of the stack")
    func stack() throws {
        let source = "int a(void) { return 1; }"
        #expect(try !facts(source).wantsExecutableStack)
        #expect(try !facts(source, ["-Wl,-z,noexecstack"]).wantsExecutableStack)
        #expect(try facts(source, ["-Wl,-z,execstack"]).wantsExecutableStack)
        // Without the header the system decides, and it gives one that can be run.
        let files = try build(source, [])
        var bytes = try files.read("liba.so")
        let header = try #require(
            (0..<Int(bytes[56])).map { 64 + $0 * 56 }
                .first { bytes[$0..<($0 + 4)].elementsEqual([0x51, 0xE5, 0x74, 0x64]) })
        bytes.replaceSubrange(header..<(header + 4), with: [0, 0, 0, 0])
        try files.write(bytes, to: "libb.so")
        #expect(try read("libb.so", in: files).wantsExecutableStack)
    }

    @Test("relocations of the text, however they are marked")
    func textRelocations() throws {
        // The address of a symbol of another's in the code.
        let source = #"__asm__(".text\n.globl a\na: .quad wanted\n");"#
        #expect(try facts(source, ["-Wl,-z,notext"]).hasTextRelocations)
        #expect(
            try !facts("extern int wanted(void); int a(void) { return wanted(); }")
                .hasTextRelocations)
    }

    @Test("static room of threads")
    func staticTLS() throws {
        let source = "static __thread int a; int *b(void) { return &a; }"
        #expect(try facts(source, ["-ftls-model=initial-exec"]).hasStaticTLS)
        #expect(try !facts(source, ["-ftls-model=global-dynamic"]).hasStaticTLS)
    }

    @Test("where others are looked for", arguments: ["enable", "disable"])
    func searchPath(_ tags: String) throws {
        let found = try facts(
            "int a(void) { return 1; }",
            ["-Wl,--\(tags)-new-dtags", "-Wl,-rpath,lib::$ORIGIN/x", "-Wl,--no-as-needed", "-lm"])
        #expect(found.searchPath == ["lib", "", "$ORIGIN/x"])
        #expect(found.needed.contains("libm.so.6"))
        #expect(try facts("int a(void) { return 1; }").searchPath == [])
    }

    @Test("the libraries of the system can be read")
    func system() throws {
        let names = ["libc.so.6", "libpthread.so.0", "libstdc++.so.6"]
        for directory in ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"] {
            for name in names where FileManager.default.fileExists(atPath: "\(directory)/\(name)") {
                let found = try ELFFacts.read(path: "\(directory)/\(name)").get()
                #expect(found.exportedNames.count > (name == "libpthread.so.0" ? 0 : 1_000))
            }
        }
    }

    @Test("what is no library is refused")
    func notOne() throws {
        let files = try TemporaryDirectory()
        try files.write("no library", to: "a")
        #expect(throws: ABINoteFault.notELF) { try read("a", in: files) }
        #expect(throws: ABINoteFault.self) { try read("none", in: files) }
    }

    @Test("a damaged file is refused, and none stops the process", arguments: ["gnu", "sysv"])
    func damaged(_ hash: String) throws {
        let files = try build(
            Self.everyKind, ["-Wl,--hash-style=\(hash)", "-Wl,-rpath,$ORIGIN", "-s"])
        let sound = try files.read("liba.so")
        var generator = SeededGenerator(seed: 17)
        var refused = 0
        for round in 0..<400 {
            var bytes = sound
            // The headers, and what they lead to: tables of symbols, names and relocations.
            for _ in 0..<4 {
                let place = Int.random(in: 16..<2_048, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 0xFF
            if round.isMultiple(of: 10) {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            }
            try files.write(bytes, to: "broken.so")
            if (try? ELFFacts.read(path: files.path("broken.so")).get()) == nil { refused += 1 }
            _ = ELFSummary.read(path: files.path("broken.so"))
        }
        #expect(refused > 0)
        #expect(refused < 400)
    }

    @Test("sizes that are lies are refused by their limits")
    func lies() throws {
        let files = try build(Self.everyKind, ["-Wl,--hash-style=sysv"])
        let sound = try files.read("liba.so")
        let dynamic = try #require(
            (0..<Int(sound[56])).map { 64 + $0 * 56 }.first { sound[$0] == 2 && sound[$0 + 3] == 0 }
        )
        func long(_ place: Int) -> Int {
            sound[place..<(place + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (start, size) = (long(dynamic + 8), long(dynamic + 32))
        // DT_PLTRELSZ, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_STRSZ
        for tag in [2, 4, 5, 6, 7, 8, 10] {
            for value in [Int.max, -1, -8, 1 << 40, 1 << 24, sound.count - 1] {
                for place in stride(from: start, to: start + size, by: 16) where long(place) == tag
                {
                    var bytes = sound
                    withUnsafeBytes(of: value.littleEndian) {
                        bytes.replaceSubrange((place + 8)..<(place + 16), with: $0)
                    }
                    try files.write(bytes, to: "lie.so")
                    #expect(throws: ABINoteFault.self, "tag \(tag), value \(value)") {
                        try read("lie.so", in: files)
                    }
                }
            }
        }
    }
}
