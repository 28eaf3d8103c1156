// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginBridge
import TestSupport
import Testing

@Suite("The ABI note of a library")
struct ABINoteTests {
    private static let include = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("include").path

    private static let plugin = """
        #include <curfew/plugin.h>
        CURFEW_PLUGIN_NOTE();
        CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
            const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
            return CURFEW_OK;
        }
        """

    /// A note as the macro makes it, with other numbers.
    private static func note(
        abi: UInt32 = 0, reserved: UInt32 = 0, type: UInt32 = 1, name: String = "Curfew",
        contentBytes: UInt32 = 8, variable: String = "note"
    ) -> String {
        """
        __attribute__((section(".note.\(variable)"), used, aligned(4))) static const struct {
            unsigned name_bytes, description_bytes, type;
            char name[8];
            unsigned abi, reserved;
        } \(variable) = {\(name.utf8.count + 1), \(contentBytes), \(type), "\(name)", \(abi), \(reserved)};

        """
    }

    private func build(
        _ source: String, _ flags: [String] = ["-shared", "-fPIC"], compiler: String = "gcc",
        file: String = "p.c", in directory: TemporaryDirectory
    ) throws -> String {
        try directory.write(source, to: file)
        try directory.run(
            compiler, flags + ["-w", "-I", Self.include, "-o", "p.so", file])
        return directory.path("p.so")
    }

    private func fault(_ path: String) -> ABINoteFault? {
        if case .failure(let fault) = ABINote.read(path: path) { return fault }
        return nil
    }

    /// Ways to build a library that move its notes about.
    private static var builds: [[String]] {
        var builds = [
            [], ["-O2", "-s"], ["-g"], ["-Wl,--gc-sections", "-ffunction-sections"],
            ["-Wl,--build-id=none"], ["-fvisibility=hidden", "-Wl,-z,separate-code"],
            ["-flto", "-O2"], ["-nostdlib"],
        ]
        #if arch(x86_64)
            builds.append(["-fcf-protection=full"])  // adds a note in a segment of its own
        #endif
        return builds
    }

    @Test("is found however the library was built", arguments: builds)
    func found(_ flags: [String]) throws {
        let directory = try TemporaryDirectory()
        let path = try build(Self.plugin, ["-shared", "-fPIC"] + flags, in: directory)
        #expect(try ABINote.read(path: path).get().abi == 0)
    }

    @Test("is found behind notes that are padded to eight bytes")
    func padding() throws {
        let directory = try TemporaryDirectory()
        let path = try build(
            """
            __attribute__((section(".note.wide"), used, aligned(8))) static const struct {
                unsigned name_bytes, description_bytes, type;
                char name[12];
                unsigned description[2];
                unsigned second_name_bytes, second_description_bytes, second_type;
                char second_name[12];
                unsigned abi, reserved;
            } wide = {7, 5, 9, "Foreig", {1, 2}, 7, 8, 1, "Curfew", 6, 0};
            """, in: directory)
        #expect(try ABINote.read(path: path).get().abi == 6)
    }

    @Test("is found in a library from C++")
    func cxx() throws {
        let directory = try TemporaryDirectory()
        let source = "#include <curfew/plugin.h>\nCURFEW_PLUGIN_NOTE();\n"
        let path = try build(source, compiler: "g++", file: "p.cc", in: directory)
        #expect(try ABINote.read(path: path).get().abi == 0)
    }

    @Test("gives any number", arguments: [1, 3, 4_294_967_295] as [UInt32])
    func number(_ abi: UInt32) throws {
        let directory = try TemporaryDirectory()
        let path = try build(Self.note(abi: abi), in: directory)
        #expect(try ABINote.read(path: path).get().abi == abi)
    }

    @Test("may stand there twice when both say the same")
    func twice() throws {
        let directory = try TemporaryDirectory()
        let first = Self.note(abi: 2, variable: "one")
        let same = try build(first + Self.note(abi: 2, variable: "two"), in: directory)
        #expect(try ABINote.read(path: same).get().abi == 2)
        let other = try build(first + Self.note(abi: 3, variable: "two"), in: directory)
        let fault = try #require(self.fault(other))
        // The order of the two is the linker's.
        #expect(fault.message.contains("ABI 2") && fault.message.contains("ABI 3"))
    }

    @Test("a note of another name or type is not ours")
    func foreign() throws {
        let directory = try TemporaryDirectory()
        for source in [
            "int x;", Self.note(type: 2), Self.note(name: "Curfex"), Self.note(name: "Curfe"),
        ] {
            #expect(fault(try build(source, in: directory)) == .noNote)
        }
        #expect(ABINoteFault.noNote.help.contains("CURFEW_PLUGIN_NOTE();"))
    }

    @Test("a note with the wrong content is damaged")
    func content() throws {
        let directory = try TemporaryDirectory()
        for source in [Self.note(reserved: 1), Self.note(contentBytes: 4)] {
            #expect(
                fault(try build(source, in: directory))
                    == .malformed("its Curfew note has the wrong content"))
        }
        #expect(
            fault(try build(Self.note(contentBytes: 100_000), in: directory))
                == .malformed("a note reaches past the end of its segment"))
    }

    @Test("what is no file says so in the system's words")
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        #expect(fault(directory.path("none")) == .cannotOpen("No such file or directory"))
        #expect(fault(directory.path) == .cannotOpen("not a regular file"))
        #expect(fault("/dev/zero") == .cannotOpen("not a regular file"))
        #expect(fault("") == .cannotOpen("No such file or directory"))
        #expect(fault("a\0b") == .cannotOpen("the path has a zero byte in it"))
        try directory.makePipe("pipe")
        #expect(fault(directory.path("pipe")) == .cannotOpen("not a regular file"))
    }

    @Test("what is no shared object for this machine is told apart")
    func otherFiles() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "empty.so")
        #expect(fault(directory.path("empty.so")) == .notELF)
        try directory.write("INPUT(libfoo.so.1)", to: "script.so")
        #expect(fault(directory.path("script.so")) == .notELF)
        #expect(fault(try build(Self.plugin, ["-c"], in: directory)) == .notSharedObject)
        let program = try build("int main(void) { return 0; }", ["-no-pie"], in: directory)
        #expect(fault(program) == .notSharedObject)
        let good = try directory.read(
            URL(fileURLWithPath: try build(Self.plugin, in: directory)).lastPathComponent)
        for (offset, value) in [(4, 1), (5, 2), (18, 40), (19, 1)] as [(Int, UInt8)] {
            var changed = good
            changed[offset] = value
            try directory.write(changed, to: "changed.so")
            #expect(fault(directory.path("changed.so")) == .otherMachine, "\(offset)")
        }
    }

    @Test("offsets and sizes are not believed")
    func hostileHeaders() throws {
        let directory = try TemporaryDirectory()
        _ = try build(Self.plugin, ["-shared", "-fPIC", "-Wl,--build-id=none"], in: directory)
        let good = try directory.read("p.so")
        func with(_ value: UInt64, bytes: Int, at offset: Int) throws -> ABINoteFault? {
            var changed = good
            for byte in 0..<bytes {
                changed[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
            }
            try directory.write(changed, to: "changed.so")
            return fault(directory.path("changed.so"))
        }
        let outside = ABINoteFault.malformed("it points past its own end")
        let huge: [UInt64] = [.max, .max - 55, UInt64(Int64.max), UInt64(good.count), 1 << 63]
        for value in huge { #expect(try with(value, bytes: 8, at: 32) == outside) }
        #expect(try with(0, bytes: 2, at: 56) == .noNote)
        #expect(
            try with(0xFFFF, bytes: 2, at: 56)
                == .malformed("it has 65535 program headers, the limit is 256"))
        #expect(
            try with(55, bytes: 2, at: 54)
                == .malformed("its program headers have the wrong size"))

        // The program header of the notes, found here by its type.
        let table = Int(good[32]) | Int(good[33]) << 8
        let count = Int(good[56])
        let headers = (0..<count).map { table + 56 * $0 }
        let note = try #require(headers.first { good[$0] == 4 })
        for value in huge { #expect(try with(value, bytes: 8, at: note + 8) == outside) }
        for value in [65_537, UInt64.max, 1 << 63] {
            #expect(
                try with(value, bytes: 8, at: note + 32)
                    == .malformed("it has \(value) bytes of notes, the limit is 65536"))
        }
        let start = Int(good[note + 8]) | Int(good[note + 9]) << 8
        for size in [0xFFFF_FFFF, 0x7FFF_FFFF, 0x10_0000] as [UInt64] {
            for field in [0, 4] {
                #expect(
                    try with(size, bytes: 4, at: start + field)
                        == .malformed("a note reaches past the end of its segment"))
            }
        }
    }

    @Test("a library cut off anywhere is answered")
    func truncated() throws {
        let directory = try TemporaryDirectory()
        let flags = ["-shared", "-fPIC", "-nostdlib", "-s", "-Wl,-z,noseparate-code"]
        let path = try build(Self.plugin, flags, in: directory)
        let good = try directory.read("p.so")
        #expect(fault(path) == nil)
        // Shortened in place, from the end to the beginning: one call for each length.
        var accepted: [Int] = []
        for length in (0..<good.count).reversed() {
            #expect(truncate(path, length) == 0)
            switch fault(path) {
            case nil: accepted.append(length)
            case .notELF: #expect(length < 4)
            case .malformed: #expect(length >= 4)
            case let other: Issue.record("\(length): \(String(describing: other))")
            }
        }
        // It is good as long as the headers and the notes are there, and never again after.
        #expect(accepted == Array((accepted.last ?? 0)..<good.count).reversed())
        #expect(try #require(accepted.last) > 64 + 56)
    }

    @Test("random changes never trap, whatever they make of it", arguments: 0..<2)
    func corrupted(_ seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let flags = ["-shared", "-fPIC", "-nostdlib", "-s", "-Wl,-z,noseparate-code"]
        let path = try build(Self.plugin, flags, in: directory)
        let good = try directory.read("p.so")
        var generator = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<2000 {
            // Mostly where it is read: the header, the program headers, and the notes after them.
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<min(768, good.count), using: &generator)
                bytes[place] =
                    [0, 1, 4, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &generator)]
                    .randomElement(using: &generator)!
            }
            if Bool.random(using: &generator) { bytes = generator.mutate(bytes) }
            try directory.write(bytes, to: "p.so")
            if let fault = fault(path) {
                refused += 1
                #expect(!fault.message.isEmpty && !fault.help.isEmpty)
            }
        }
        #expect(refused > 500)
        #expect(refused < 2000)
    }
}
