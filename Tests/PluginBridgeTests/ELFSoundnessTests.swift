// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import PluginBridge

@Suite("What the loader goes by in a library")
struct ELFSoundnessTests {
    /// With constructors, variables of threads, versions, a function that chooses another, and both
    /// kinds of hash tables.
    private static func library(_ flags: [String] = []) throws -> LibraryBytes {
        let files = try TestSupport.TemporaryDirectory()
        try files.write(
            """
            #include <stdio.h>
            #include <errno.h>
            extern int other;
            static __thread int mine;
            int *place = &other;
            const char *texts[] = {"a", "b"};
            static int one(void) { return 1; }
            static int (*choose(void))(void) { return one; }
            int chosen(void) __attribute__((ifunc("choose")));
            __attribute__((constructor)) static void begin(void) { mine = errno; }
            __attribute__((destructor)) static void end(void) { puts(texts[0]); }
            int curfew_plugin_entry(void) { return *place + mine + chosen(); }
            """, to: "a.c")
        try files.write("V1 { global: curfew_plugin_entry; chosen; place; local: *; };", to: "map")
        let gcc = try ChildProcess.run(
            "gcc",
            [
                "-shared", "-fPIC", "-o", "liba.so", "a.c", "-Wl,--version-script=map",
                "-Wl,--hash-style=both", "-Wl,-z,relro", "-Wl,-soname=liba.so",
            ] + flags, directory: files.path)
        try #require(gcc.succeeded, "\(gcc)")
        return LibraryBytes(try files.read("liba.so"))
    }

    private func fault(of library: LibraryBytes) throws -> String? {
        do {
            _ = try library.bytes.withUnsafeBytes { try ELFSoundness($0) }
            return nil
        } catch let fault as ABINoteFault {
            return fault.message
        }
    }

    /// One field with a wrong number in it.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let message: String
        let change: @Sendable (inout LibraryBytes) throws -> Void

        init(
            _ name: String, _ message: String,
            _ change: @escaping @Sendable (inout LibraryBytes) throws -> Void
        ) {
            testDescription = name
            self.message = message
            self.change = change
        }

        /// A field of a program header of a type.
        static func header(
            _ type: UInt32, _ field: Int, _ name: String, _ message: String, last: Bool = false,
            _ value: @escaping @Sendable (UInt64) -> UInt64
        ) -> Damage {
            Damage(name, message) { library in
                let headers = library.headers(ofType: type)
                let place = try #require(last ? headers.last : headers.first) + field
                library.setLong(value(library.long(at: place)), at: place)
            }
        }

        /// The value of a dynamic entry.
        static func entry(
            _ tag: UInt64, _ name: String, _ message: String,
            _ value: @escaping @Sendable (UInt64) -> UInt64
        ) -> Damage {
            Damage(name, message) { library in
                let place = try #require(library.entry(tag)) + 8
                library.setLong(value(library.long(at: place)), at: place)
            }
        }

        /// A word of a table that a dynamic entry leads to.
        static func table(
            _ tag: UInt64, _ offset: Int, _ name: String, _ message: String, _ value: UInt32
        ) -> Damage {
            Damage(name, message) { library in
                library.setWord(value, at: try #require(library.place(of: tag)) + offset)
            }
        }
    }

    private static let damages: [Damage] = [
        .header(1, 32, "a segment past the end of the file", "reaches past the end", last: true) {
            $0 + 1 << 20
        },
        .header(1, 40, "more in the file than in memory", "larger in the file than in memory") {
            _ in
            16
        },
        .header(1, 40, "a segment without an end", "reaches beyond", last: true) { _ in 1 << 60 },
        .header(1, 48, "no alignment", "is not aligned to pages") { _ in 0 },
        .header(1, 48, "a strange alignment", "is not aligned to pages") { _ in 0x3000 },
        .header(1, 16, "an address off its page", "is not aligned to pages") { $0 + 8 },
        .header(1, 16, "a segment on another's pages", "lies on the pages of another", last: true) {
            $0 & 0xFFF
        },
        .header(2, 16, "entries elsewhere in memory", "PT_DYNAMIC is not in any") { $0 + 16 },
        .header(2, 8, "entries elsewhere in the file", "PT_DYNAMIC is not in any") { $0 + 16 },
        .header(2, 32, "entries without an end", "its dynamic entries have no end") { _ in 64 },
        .header(4, 16, "notes outside", "of notes is not in any") { _ in 1 << 40 },
        .header(0x6474_E550, 16, "unwinding outside", "PT_GNU_EH_FRAME is not in any") { _ in
            1 << 40
        },
        .header(0x6474_E552, 16, "read-only elsewhere", "PT_GNU_RELRO is not in a writable one") {
            _ in 0
        },
        .header(0x6474_E552, 40, "too much read-only", "PT_GNU_RELRO is not in a writable one") {
            $0 + 1 << 20
        },
        .header(7, 48, "no alignment of variables", "PT_TLS has an alignment of 0") { _ in 0 },
        .header(7, 32, "variables outside", "PT_TLS") { _ in 1 << 40 },
        .entry(5, "names elsewhere", "the table of names is not in any segment") { _ in 1 << 40 },
        .entry(10, "names without an end", "the last name of its table has no end") { $0 - 1 },
        .entry(10, "no names", "it has no table of symbols or of their names") { _ in 0 },
        .entry(6, "symbols elsewhere", "the table of symbols is not in any segment") { _ in 1 << 40
        },
        .entry(11, "symbols of another size", "its symbols have the wrong size") { _ in 16 },
        .entry(1, "a needed library elsewhere", "the name of a library is not in its") { _ in
            1 << 40
        },
        .entry(14, "its own name elsewhere", "the name of a library is not in its") { _ in 1 << 40
        },
        .entry(7, "relocations elsewhere", "the table of relocations is not in any") { _ in 1 << 40
        },
        .entry(8, "half a relocation", "its table of relocations is cut") { $0 - 8 },
        .entry(9, "relocations of another size", "its relocations have the wrong size") { _ in 16 },
        .entry(2, "no relocations for calls", "for calls is empty") { _ in 0 },
        .entry(23, "relocations for calls in the headers", "begins in its headers") { _ in 0 },
        .entry(7, "relocations in the headers", "begins in its headers") { _ in 64 },
        .entry(20, "relocations of another kind", "for calls are of the wrong kind") { _ in 17 },
        .entry(0x6FFF_FFF9, "more relative ones than there are", "are not of the type") { _ in
            1 << 30
        },
        .entry(12, "a constructor outside", "its constructor or destructor is no code") { _ in
            0x3F00
        },
        .entry(25, "constructors outside", "its list of constructors is not in any") { _ in 1 << 40
        },
        .entry(25, "constructors that are others' data", "its list of constructors names") {
            $0 + 64
        },
        .entry(27, "too many constructors", "its list of constructors has") { _ in 1 << 40 },
        .entry(3, "a table of addresses outside", "its table of addresses is not in any") { _ in
            8 << 40
        },
        .entry(0x6FFF_FFF0, "versions elsewhere", "the table of versions is not in any") { _ in
            1 << 40
        },
        .entry(0x6FFF_FFFE, "needed versions elsewhere", "of needed versions is not in any") { _ in
            1 << 40
        },
        .table(
            4, 8, "a chain that leads outside", "its hash table leads to what is no symbol", 1 << 20
        ),
        .table(4, 0, "a hash table that is too large", "its hash table is cut", 1 << 30),
        .table(0x6FFF_FEF5, 8, "a filter of no size", "a filter that cannot be", 0),
        .table(0x6FFF_FEF5, 8, "a filter of an odd size", "a filter that cannot be", 3),
        .table(0x6FFF_FEF5, 0, "too many buckets", "its hash table is cut", 1 << 30),
        .table(6, 24, "a symbol's name outside", "the name of a symbol is not in its", 1 << 30),
        .table(
            0x6FFF_FFF0, 4, "a version that is not there", "a version that is not in its", 0x7FFF),
        .table(
            0x6FFF_FFFE, 4, "versions of no library", "versions of a library that it does not need",
            1),
        .table(
            0x6FFF_FFFE, 12, "versions without an end", "tables of versions have no end", 1 << 30),
        .table(7, 0, "a relocation into code", "a relocation would be written outside", 0x1000),
        .table(7, 12, "a relocation of no symbol", "it names a symbol that is not in its", 1 << 30),
        .table(7, 16, "a constructor that is data", "its list of constructors names", 0x10),
        Damage("a relocation into the entries", "written into a table of the loader's") { library in
            let header = try #require(library.headers(ofType: 2).first)
            let place = try #require(library.place(of: 7))
            library.setLong(library.long(at: header + 16), at: place)
        },
        Damage("a relocation of a program", "it has a relocation that only programs have") {
            library in
            let place = try #require(library.place(of: 7))
            let count = library.long(at: try #require(library.entry(8)) + 8) / 24
            library.setWord(5, at: place + Int(count - 1) * 24 + 8)
        },
        Damage("two tables of entries", "two segments PT_DYNAMIC") { library in
            let stack = try #require(library.headers(ofType: 0x6474_E551).first)
            library.setWord(2, at: stack)
        },
        Damage("no entries, far past the end of the file", "PT_DYNAMIC is empty") { library in
            let header = try #require(library.headers(ofType: 2).first)
            library.setLong(1 << 63, at: header + 8)
            library.setLong(0, at: header + 32)
        },
        Damage("no entries, past the end of the file", "PT_DYNAMIC is empty") { library in
            let header = try #require(library.headers(ofType: 2).first)
            library.setLong(1 << 40, at: header + 8)
            library.setLong(0, at: header + 32)
        },
        Damage("no entry for a size", "it has the dynamic entry 0x19 without 0x1b") { library in
            library.setLong(0x6FFF_FEF6, at: try #require(library.entry(27)))
        },
        Damage("versions, and none of its symbols", "has versions, and its symbols have none") {
            library in
            library.setLong(0x6FFF_FEF6, at: try #require(library.entry(0x6FFF_FFF0)))
        },
        Damage("a data segment that is not writable", "PT_DYNAMIC is writable") { library in
            let header = try #require(library.headers(ofType: 1).last)
            library.setWord(4, at: header + 4)
        },
        Damage("code that cannot be run", "no code of it") { library in
            for header in library.headers(ofType: 1) where library.word(at: header + 4) == 5 {
                library.setWord(4, at: header + 4)
            }
        },
    ]

    @Test("each field that the loader follows is checked", arguments: damages)
    func damaged(_ damage: Damage) throws {
        var library = try Self.library()
        try #require(try fault(of: library) == nil)
        try damage.change(&library)
        let message = try #require(try fault(of: library))
        #expect(message.contains(damage.message), "\(message)")
    }

    @Test("a library that was cut is damaged, wherever it was cut", arguments: [98, 95, 90, 50, 5])
    func cut(_ percent: Int) throws {
        var library = try Self.library(["-s"])
        let end = library.headers(ofType: 1).map {
            Int(library.long(at: $0 + 8) + library.long(at: $0 + 32))
        }.max()!
        library.bytes.removeLast(library.bytes.count - end * percent / 100)
        #expect(try fault(of: library)?.contains("end") == true)
    }

    @Test(
        "headers and tables are no code, also where they share the segment of the code",
        arguments: [0, 8, 64, 5, 6, 7, 23, 0x6FFF_FEF5, 0x6FFF_FFF0, 0x6FFF_FFFE] as [UInt64])
    func tablesInCode(_ place: UInt64) throws {
        let sound = try Self.library(["-Wl,-z,noseparate-code"])
        #expect(try fault(of: sound) == nil)
        // What is no tag of a table is an address in the headers.
        let target = sound.entry(place).map { sound.long(at: $0 + 8) } ?? place
        for tag in [12, 13] as [UInt64] {
            var library = sound
            library.setLong(target, at: try #require(library.entry(tag)) + 8)
            #expect(try fault(of: library)?.contains("is no code of it") == true, "\(tag)")
        }
        // The first relocation writes the first constructor.
        var library = sound
        library.setLong(target, at: try #require(library.place(of: 7)) + 16)
        #expect(try fault(of: library)?.contains("names what is no code of it") == true)
    }

    @Test("libraries as linkers make them are sound")
    func sound() throws {
        for flags in [
            ["-s"], ["-Wl,--hash-style=sysv"], ["-Wl,--hash-style=gnu"], ["-Wl,-z,norelro"],
            ["-Wl,-z,noseparate-code"], ["-Wl,-z,max-page-size=0x10000"], ["-Wl,-z,lazy"],
            ["-Wl,-z,pack-relative-relocs"], ["-Wl,--emit-relocs"], ["-nostartfiles"],
        ] {
            #expect(try fault(of: Self.library(flags)) == nil, "\(flags)")
        }
    }

    @Test("the libraries of the system are sound, and the rules know them")
    func system() throws {
        let place = "/usr/lib"
        let names = try #require(FileManager.default.enumerator(atPath: place))
        var count = 0
        for case let name as String in names where name.contains(".so") && count < 150 {
            let path = place + "/" + name
            guard case .success = ELFExport.find("", in: path) else { continue }
            count += 1
            let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(try fault(of: LibraryBytes(bytes)) == nil, "\(path)")
        }
        #expect(count > 10)
    }

    @Test("of mutants none ends the process before its own code runs")
    func mutants() throws {
        let loader = try LibraryLoader()
        let mutation = LibraryMutation(try Self.library().bytes)
        var accepted: [(bytes: [UInt8], change: String)] = []
        let count: UInt64 = 600
        for seed in 0..<count {
            let mutant = mutation.mutant(seed)
            let soundness = mutant.bytes.withUnsafeBytes { try? ELFSoundness($0) }
            guard let soundness, soundness.doubt == nil else { continue }
            accepted.append(mutant)
        }
        #expect((count / 5..<count).contains(UInt64(accepted.count)))
        let endings = try loader.load(accepted.map(\.bytes))
        for (mutant, ending) in zip(accepted, endings) {
            #expect([.loaded, .refused].contains(ending), "\(mutant.change)")
        }
    }
}
