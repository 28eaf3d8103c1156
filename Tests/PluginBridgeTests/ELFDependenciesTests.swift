// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PluginBridge

@Suite("What a library wants with it")
struct ELFDependenciesTests {
    private func build(_ flags: [String]) throws -> (ELFDependencies, TemporaryDirectory) {
        let files = try TemporaryDirectory()
        try files.write("int a(void) { return 1; }", to: "a.c")
        try files.write(
            "int a(void), puts(const char *); int b(void) { return a() + puts(\"b\"); }", to: "b.c")
        try files.run("gcc", ["-shared", "-fPIC", "-o", "liba.so", "a.c"])
        try files.run(
            "gcc", ["-shared", "-fPIC", "-o", "libb.so", "b.c"] + flags + ["-L.", "-la"])
        let library = try Data(contentsOf: URL(fileURLWithPath: files.path("libb.so")))
        return (try library.withUnsafeBytes { try ELFDependencies($0) }, files)
    }

    @Test("they are read from a file, whichever tag has the path")
    func files() throws {
        for tag in ["-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"] {
            let (found, _) = try build([tag, "-Wl,-rpath,/opt/x:$ORIGIN"])
            #expect(found.needed.first == "liba.so")
            #expect(found.needed.contains("libc.so.6"))
            #expect(found.searchPath == ["/opt/x", "$ORIGIN"])
        }
        #expect(try build([]).0.searchPath == [])
    }

    @Test("a damaged file is refused, and none stops the process")
    func damaged() throws {
        let (_, files) = try build(["-Wl,-rpath,$ORIGIN"])
        let sound = try Array(Data(contentsOf: URL(fileURLWithPath: files.path("libb.so"))))
        var generator = SeededGenerator(seed: 7)
        var refused = 0
        for _ in 0..<300 {
            var bytes = sound
            for _ in 0..<8 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            // Where the program headers and the dynamic entries are, more often.
            bytes[Int.random(in: 16..<700, using: &generator)] ^= 0xFF
            if (try? bytes.withUnsafeBytes({ try ELFDependencies($0) })) == nil { refused += 1 }
        }
        #expect(refused > 0)
    }
}
