// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import PluginBridge

/// Each case is a library that would run as the host, from a place where somebody else can put one.
@Suite("The libraries that come along with a plugin's")
struct NeededLibrariesTests {
    private typealias Directory = TestSupport.TemporaryDirectory

    /// Builds a library from one function that calls those of others.
    private func build(
        _ name: String, calls: [String] = [], _ flags: [String] = [], in files: Directory
    ) throws {
        let called = calls.map { "int \($0)(void);" }.joined()
        let sum = (calls.map { "\($0)()" } + ["1"]).joined(separator: "+")
        let function = name.split(separator: "/").last!.dropFirst(3).prefix { $0 != "." }
        try files.write("\(called) int \(function)(void) { return \(sum); }", to: "\(name).c")
        let gcc = try ChildProcess.run(
            "gcc",
            ["-shared", "-fPIC", "-o", name, "\(name).c", "-Wl,--allow-shlib-undefined", "-L."]
                + flags, directory: files.path)
        try #require(gcc.succeeded, "\(gcc)")
    }

    private func directory(_ name: String, in files: Directory) throws {
        try FileManager.default.createDirectory(
            atPath: files.path(name), withIntermediateDirectories: true)
    }

    private func paths(first: [String] = [], last: [String] = []) -> LoaderPaths {
        LoaderPaths(
            first: first, last: last, loaded: { $0 == "libc.so.6" ? true : nil },
            cached: { _ in [] })
    }

    /// Checks a library's dependencies; returns the refusal, and what was not found.
    private func check(
        _ library: String, in files: Directory, paths: LoaderPaths? = nil,
        origin: String = "/proc/\(getpid())/fd"
    ) throws -> (fault: BridgeError?, missing: String?) {
        try directory("plugin", in: files)
        var libraries = NeededLibraries(
            beside: try PluginDirectory(files.path("plugin")), trust: .ofThisProcess,
            paths: paths ?? self.paths())
        let bytes = try files.read(library)
        do {
            let dependencies = try bytes.withUnsafeBytes { try ELFDependencies($0) }
            let soundness = try bytes.withUnsafeBytes { try ELFSoundness($0) }
            try libraries.check(dependencies, soundness.versioned, of: library, origin: origin)
            return (nil, libraries.missing)
        } catch let error as BridgeError {
            return (error, libraries.missing)
        }
    }

    /// `liba.so` in a directory of the RUNPATH, and what is done to it.
    private func run(
        _ change: (Directory) throws -> Void
    ) throws -> (fault: BridgeError?, missing: String?) {
        let files = try Directory()
        try directory("lib", in: files)
        try build("lib/liba.so", ["-Wl,-soname,liba.so"], in: files)
        try build(
            "libp.so", calls: ["a"], ["-Llib", "-la", "-Wl,-rpath,\(files.path("lib"))"], in: files)
        try change(files)
        return try check("libp.so", in: files)
    }

    private func chmod(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("one that nobody else can change is taken")
    func sound() throws {
        let result = try run { _ in }
        #expect(result.fault == nil, "\(result.fault?.message ?? "")")
        #expect(result.missing == nil)
    }

    @Test("one that others can write is refused, with the command that mends it")
    func writable() throws {
        var path = ""
        let fault = try #require(
            run { files in
                path = files.path("lib/liba.so")
                try chmod(path, 0o757)
            }.fault)
        #expect(fault.rule == "load-needed")
        #expect(fault.message.contains("libp.so needs liba.so, which would be loaded from \(path)"))
        #expect(fault.message.contains("chmod o-w \(path)"))
    }

    @Test("one that belongs to another user is refused", .enabled(if: geteuid() == 0))
    func owner() throws {
        let fault = try #require(
            run { files in
                try #require(chown(files.path("lib/liba.so"), 54_321, 0) == 0)
            }.fault)
        #expect(fault.rule == "load-needed")
        #expect(fault.message.contains("belongs to another user"))
    }

    @Test("a link is followed, and its end is looked at")
    func link() throws {
        func result(_ mode: Int) throws -> BridgeError? {
            try run { files in
                try directory("other", in: files)
                try FileManager.default.moveItem(
                    atPath: files.path("lib/liba.so"), toPath: files.path("other/liba.so.1"))
                try FileManager.default.createSymbolicLink(
                    atPath: files.path("lib/liba.so"), withDestinationPath: "../other/liba.so.1")
                try chmod(files.path("other"), mode)
            }.fault
        }
        #expect(try result(0o755) == nil)
        #expect(try result(0o777)?.message.contains("/other can be changed by everyone") == true)
    }

    @Test("a damaged one is refused")
    func damaged() throws {
        let fault = try #require(
            run { files in
                let bytes = try files.read("lib/liba.so")
                try files.write(Array(bytes.prefix(bytes.count / 2)), to: "lib/liba.so")
            }.fault)
        #expect(fault.rule == "load-damaged")
        #expect(fault.message.contains("/lib/liba.so is damaged"))
    }

    @Test("one that has lost the versions of its symbols is refused")
    func versions() throws {
        let files = try Directory()
        try directory("lib", in: files)
        try files.write("V1 { global: a; };", to: "map")
        let flags = ["-Wl,-soname,liba.so", "-nostdlib"]
        try build("lib/liba.so", flags + ["-Wl,--version-script=map"], in: files)
        try build(
            "libp.so", calls: ["a"], ["-Llib", "-la", "-Wl,-rpath,\(files.path("lib"))"], in: files)
        #expect(try check("libp.so", in: files).fault == nil)
        try build("lib/liba.so", flags, in: files)
        let fault = try #require(try check("libp.so", in: files).fault)
        #expect(fault.rule == "load-link")
        #expect(fault.message.contains("it wants symbols of liba.so in certain versions"))
    }

    @Test("one that is in no directory is told when the plugin is loaded")
    func missing() throws {
        let result = try run { try FileManager.default.removeItem(atPath: $0.path("lib/liba.so")) }
        #expect(result.fault == nil)
        #expect(result.missing?.contains("it needs liba.so, which is in none") == true)
    }

    @Test("the path of one that is needed is searched as well", arguments: ["enable", "disable"])
    func ofDependency(_ tags: String) throws {
        let files = try Directory()
        for name in ["one", "two"] { try directory(name, in: files) }
        try build("two/libb.so", in: files)
        let rpath = "-Wl,--\(tags)-new-dtags,-rpath,\(files.path("two"))"
        try build("one/liba.so", calls: ["b"], ["-Ltwo", "-lb", rpath], in: files)
        try build(
            "libp.so", calls: ["a"], ["-Lone", "-la", "-Wl,-rpath,\(files.path("one"))"], in: files)
        #expect(try check("libp.so", in: files).fault == nil)
        try chmod(files.path("two"), 0o777)
        let fault = try #require(check("libp.so", in: files).fault)
        #expect(fault.rule == "load-search-path")
        #expect(fault.message.contains("\(files.path("one/liba.so")) searches for libraries in"))
    }

    @Test("a DT_RPATH is searched for those that come along with others")
    func inherited() throws {
        let files = try Directory()
        for name in ["one", "two"] { try directory(name, in: files) }
        try build("two/libb.so", in: files)
        try build("one/liba.so", calls: ["b"], ["-Ltwo", "-lb"], in: files)
        let rpath = "-Wl,--disable-new-dtags,-rpath,\(files.path("one")):\(files.path("two"))"
        try build("libp.so", calls: ["a"], ["-Lone", "-la", rpath], in: files)
        #expect(try check("libp.so", in: files).missing == nil)
        try chmod(files.path("two/libb.so"), 0o757)
        #expect(try check("libp.so", in: files).fault?.rule == "load-needed")
    }

    @Test(
        "one named with its path is looked at, as are those it stands in for",
        arguments: ["", "--auxiliary=", "--filter="])
    func byPath(_ kind: String) throws {
        let files = try Directory()
        try directory("lib", in: files)
        let path = files.path("lib/liba.so")
        try build("lib/liba.so", ["-Wl,-soname,\(path)"], in: files)
        let flags = kind.isEmpty ? ["lib/liba.so"] : ["-Wl,\(kind)\(path)"]
        try build("libp.so", calls: kind.isEmpty ? ["a"] : [], flags, in: files)
        #expect(try check("libp.so", in: files).fault == nil)
        try chmod(path, 0o757)
        #expect(try check("libp.so", in: files).fault?.rule == "load-needed")
    }

    @Test("of two paths the loader takes the last")
    func twice() throws {
        let files = try Directory()
        for name in ["one", "two"] { try directory(name, in: files) }
        try build("two/liba.so", ["-Wl,-soname,liba.so"], in: files)
        // One text, of which the first entry names the end.
        let long = files.path("two") + ":/usr/lib"
        try build("libp.so", calls: ["a"], ["-Ltwo", "-la", "-Wl,-rpath,\(long)"], in: files)
        var library = LibraryBytes(try files.read("libp.so"))
        let place = try #require(library.entry(29))
        let tail = UInt64(files.path("two").utf8.count + 1)
        // In place of an entry that is only told.
        let told = try #require(library.entry(0x6FFF_FFFF) ?? library.entry(0x6FFF_FFF9))
        library.setLong(29, at: told)
        library.setLong(library.long(at: place + 8), at: told + 8)
        library.setLong(library.long(at: place + 8) + tail, at: place + 8)
        try files.write(library.bytes, to: "libp.so")
        #expect(try check("libp.so", in: files).missing == nil)
        try chmod(files.path("two"), 0o777)
        #expect(try check("libp.so", in: files).fault?.rule == "load-search-path")
    }

    @Test("LD_LIBRARY_PATH is what stands before the library's own path")
    func libraryPath() throws {
        let files = try Directory()
        for name in ["lib", "safe", "open"] { try directory(name, in: files) }
        try build("lib/liba.so", ["-Wl,-soname,liba.so"], in: files)
        try build(
            "libp.so", calls: ["a"], ["-Llib", "-la", "-Wl,-rpath,\(files.path("lib"))"], in: files)
        try chmod(files.path("open"), 0o777)
        func fault(_ first: String) throws -> BridgeError? {
            try check("libp.so", in: files, paths: paths(first: [first])).fault
        }
        #expect(try fault(files.path("safe")) == nil)
        for unsafe in [files.path("open"), ".", "lib", ""] {
            let found = try #require(try fault(unsafe))
            #expect(found.rule == "load-search-path")
            #expect(found.message.contains("for which the loader searches \"\(unsafe)\" first"))
        }
        // Nothing is looked for, and so nothing is unsafe.
        try build("libq.so", in: files)
        #expect(try check("libq.so", in: files, paths: paths(first: ["."])).fault == nil)
    }

    @Test("the directory of a copy is that of the host's descriptors, and nothing comes from there")
    func origin() throws {
        func fault(_ path: String, name: String = "liba.so") throws -> BridgeError? {
            let files = try Directory()
            try build("liba.so", ["-Wl,-soname,\(name)"], in: files)
            try build("libp.so", calls: ["a"], ["-la", "-Wl,-rpath,\(path)"], in: files)
            return try check("libp.so", in: files).fault
        }
        #expect(try fault("$ORIGIN") == nil)
        #expect(try fault("$ORIGIN/../lib/none") == nil)
        #expect(
            try fault("$ORIGIN", name: "3")?.message.contains("a descriptor of the host's") == true)
        #expect(try fault("$ORIGIN/../cwd")?.message.contains("link of the kernel's") == true)
        #expect(try fault("$ORIGIN/../root")?.rule == "load-search-path")
        #expect(
            try fault("$ORIGIN/../../../tmp")?.message.contains("/tmp can be changed by") == true)
        #expect(
            try fault("$ORIGIN/..", name: "exe")?.message.contains("link of the kernel's") == true)
        // No name of the loader's: a directory below the one the process is in.
        #expect(try fault("$ORIGINAL/lib")?.message.contains("which is not absolute") == true)
        for replaced in ["/usr/$LIB", "/opt/${PLATFORM}/lib"] {
            let message = try fault(replaced)?.message ?? ""
            #expect(message.contains("puts something else in the place of a name after $"))
            #expect(!message.contains("not absolute"), "\(message)")
        }
        #expect(try fault("", name: "$ORIGIN/liba.so")?.rule == "load-beside")
        #expect(try fault("", name: "$LIB")?.rule == "load-search-path")
    }

    @Test("what lies beside one that comes along is found by way of $ORIGIN")
    func originOfDependency() throws {
        let files = try Directory()
        try directory("lib", in: files)
        try build("lib/libb.so", in: files)
        try build("lib/liba.so", calls: ["b"], ["-Llib", "-lb", "-Wl,-rpath,$ORIGIN"], in: files)
        try build(
            "libp.so", calls: ["a"], ["-Llib", "-la", "-Wl,-rpath,\(files.path("lib"))"], in: files)
        let result = try check("libp.so", in: files)
        #expect(result.fault == nil && result.missing == nil)
        try chmod(files.path("lib/libb.so"), 0o757)
        #expect(try check("libp.so", in: files).fault?.rule == "load-needed")
    }

    @Test("in a directory for certain processors nobody else may put one, either")
    func processors() throws {
        for below in ["glibc-hwcaps/x86-64-v3", "haswell", "tls/x86_64"] {
            let fault = try run { files in
                let place = "lib/" + below
                try directory(place, in: files)
                try FileManager.default.copyItem(
                    atPath: files.path("lib/liba.so"), toPath: files.path(place + "/liba.so"))
                try chmod(files.path(place + "/liba.so"), 0o757)
            }.fault
            #expect(fault?.rule == "load-needed", "\(below)")
        }
    }

    @Test(
        "nobody else may put one there later, either",
        arguments: [
            "glibc-hwcaps", "glibc-hwcaps/x86-64-v2", "haswell", "tls/x86_64",
        ])
    func processorsLater(_ below: String) throws {
        let fault = try run { files in
            try directory("lib/" + below, in: files)
            try chmod(files.path("lib/" + below), 0o777)
        }.fault
        #expect(fault?.rule == "load-search-path")
        #expect(fault?.message.contains("/lib/\(below)") == true, "\(fault as Any)")
    }

    @Test("a path is read as the loader reads it, byte by byte")
    func bytes() throws {
        // A slash and a colon with an accent behind them are none for a reader.
        for path in ["\u{2F}\u{301}x", "/usr/lib:\u{301}lib", "lib\u{2F}\u{301}"] {
            let files = try Directory()
            try build("liba.so", ["-Wl,-soname,liba.so"], in: files)
            try build("libp.so", calls: ["a"], ["-la", "-Wl,-rpath,\(path)"], in: files)
            let elements = Array(path.utf8).split(separator: UInt8(ascii: ":"))
            let isAbsolute = elements.allSatisfy { $0.first == UInt8(ascii: "/") }
            #expect(try (check("libp.so", in: files).fault == nil) == isAbsolute, "\(path)")
        }
        let name = "x\u{2F}\u{301}.so"
        #expect(ELFDependencies(needed: [name], searchPath: []).elsewhere == name)
    }

    @Test("the loader's own cache holds the files that ldconfig lists")
    func cache() throws {
        guard let data = FileManager.default.contents(atPath: LoaderCache.path) else { return }
        let cache = LoaderCache(Array(data))
        let list = try ChildProcess.run("/sbin/ldconfig", ["-p"])
        // "libc.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libc.so.6"
        let rows = list.output.matches(of: /(?m)^\t(\S+) \(libc6,[^)]*\) => (.+)$/)
        #expect(rows.count > 10)
        for (index, row) in rows.enumerated() where WholeMatrix.has(index, 0) {
            #expect(cache.files("\(row.1)").contains("\(row.2)"), "\(row.0)")
        }
        #expect(cache.files("no such library").isEmpty)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var bytes = Array(data.prefix(2_048))
            for _ in 0..<4 { bytes[Int.random(in: 20..<bytes.count, using: &generator)] = .max }
            _ = LoaderCache(bytes).files("libc.so.6")
        }
    }

    @Test("the loader tells its own directories, and what is loaded")
    func ofThisProcess() throws {
        let paths = try #require(LoaderPaths.ofThisProcess)
        #expect(paths.loaded("libc.so.6") == true)
        #expect(paths.loaded("libno-such-library.so") == nil)
        #expect(paths.last.contains { $0.hasPrefix("/lib") || $0.hasPrefix("/usr/lib") })
    }
}
