// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// The files of a plugin: whose they are, and what becomes of them while it is loaded and used.
@Suite("The files of a plugin that is loaded")
struct LoadingFilesTests {
    /// What has wrong permissions, and which.
    struct Place: CustomTestStringConvertible, Sendable {
        let name: String
        let mode: Int
        let isRefused: Bool
        var testDescription: String { "\(name) \(String(mode, radix: 8))" }
    }

    private static let places = ["", "/manifest.json", "/libhooked.so"].flatMap { name in
        [(0o755, false), (0o500, false), (0o757, true), (0o775, true), (0o777, true)].map {
            Place(name: name, mode: $0.0, isRefused: $0.1)
        }
    }

    private func chmod(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(
        "what others can change is refused by name, with the command that mends it",
        arguments: places)
    func modes(place: Place) throws {
        let host = try TestHost()
        let plugin = try HookedPlugin()
        let path = plugin.directory + place.name
        // Of a group that surely has others in it, or is not known.
        try #require(chown(path, geteuid(), 54_321) == 0 || geteuid() != 0)
        try chmod(path, place.mode)
        let (answer, text) = plugin.load(in: host)
        #expect(answer == (place.isRefused ? .refused : .ok), "\(text)")
        guard place.isRefused else { return }
        let mode = String(place.mode, radix: 8)
        #expect(text.contains("\(path) can be changed by"))
        #expect(text.contains("(mode 0\(mode), uid \(geteuid()), gid 54321): chmod "))
        #expect(host.log.value.contains { $0.contains("CF0311 load-writable: ") })
        #expect(host.all.events.isEmpty || place.name == "/libhooked.so")
        // The command is the remedy.
        let command = try #require(text.split(separator: ": ").last)
        #expect(try ChildProcess.run("sh", ["-c", String(command)]).succeeded)
        #expect(plugin.load(in: host).answer == .ok)
    }

    @Test("a parent directory is looked at as well; a sticky one is fine")
    func parents() throws {
        let host = try TestHost()
        let files = try TemporaryDirectory()
        let plugin = try HookedPlugin()
        let parent = files.path("parent")
        try FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: plugin.directory, toPath: parent + "/plugin")
        try chmod(parent, 0o777)
        let (answer, text) = plugin.load(parent + "/plugin", in: host)
        #expect(answer == .refused)
        #expect(text.contains("\(parent) can be changed by everyone"))
        try chmod(parent, 0o1777)
        #expect(plugin.load(parent + "/plugin", in: host).answer == .ok)
    }

    @Test("what belongs to another user is refused", .enabled(if: geteuid() == 0))
    func owners() throws {
        for name in ["", "/manifest.json", "/libhooked.so"] {
            let host = try TestHost()
            let plugin = try HookedPlugin()
            let path = plugin.directory + name
            try #require(chown(path, 54_321, 0) == 0)
            let (answer, text) = plugin.load(in: host)
            #expect(answer == .refused)
            #expect(text.contains("\(path) belongs to another user than root"))
            #expect(text.hasSuffix("chown 0 \(path)"))
            #expect(host.log.value.contains { $0.contains("CF0310 load-owner: ") })
        }
    }

    @Test("manifest and library may not be links, the directory may")
    func links() throws {
        for name in ["manifest.json", "libhooked.so"] {
            let host = try TestHost()
            let plugin = try HookedPlugin()
            let path = plugin.directory + "/" + name
            try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: name + ".real")
            let (answer, text) = plugin.load(in: host)
            #expect(answer == .refused)
            #expect(text.contains("\(path) is a symbolic link"))
        }
        let host = try TestHost()
        let files = try TemporaryDirectory()
        let plugin = try HookedPlugin()
        try FileManager.default.createSymbolicLink(
            atPath: files.path("link"), withDestinationPath: plugin.directory)
        #expect(plugin.load(files.path("link"), in: host).answer == .ok)
    }

    @Test("a library that is empty, a directory or a pipe is refused at once")
    func strangeLibraries() throws {
        let strange: [(String) throws -> Void] = [
            { #expect(FileManager.default.createFile(atPath: $0, contents: Data())) },
            {
                try FileManager.default.createDirectory(
                    atPath: $0, withIntermediateDirectories: false)
            },
            { #expect(mkfifo($0, 0o600) == 0) },
        ]
        for make in strange {
            let host = try TestHost()
            let plugin = try HookedPlugin()
            let library = plugin.directory + "/libhooked.so"
            try FileManager.default.removeItem(atPath: library)
            try make(library)
            let (answer, text) = plugin.load(in: host)
            #expect(answer == .refused)
            #expect(text.contains(library))
        }
    }

    @Test("a library that is overwritten, cut or removed while it runs goes on running")
    func overwritten() throws {
        let files = try TemporaryDirectory()
        let directory = files.path("patient")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: directory)
        let library = directory + "/libpatient.so"
        let original = try Data(contentsOf: URL(fileURLWithPath: library))
        let host = try TestHost(clock: nil)
        #expect(host.load(directory).answer == .ok)
        for change in 0..<3 {
            let task = try host.launch("org.curfew.test.patient", budget: 100 * .second)
            try host.waitUntil("running") {
                try host.query(task).phase == CURFEW_TASK_PHASE_RUNNING
            }
            let descriptor = open(library, O_WRONLY)
            switch change {
            case 0:
                // In place: the same inode, other bytes.
                let noise = [UInt8](repeating: 0xCC, count: original.count)
                #expect(pwrite(descriptor, noise, noise.count, 0) == noise.count)
            case 1: #expect(ftruncate(descriptor, 0) == 0)
            default: try FileManager.default.removeItem(atPath: library)
            }
            close(descriptor)
            #expect(host.cancel(task) == .ok)
            #expect(host.wait(task) == .ok)
            #expect(try host.query(task).answered)
            #expect(host.errorText(task) == "Background task cancelled.")
        }
    }

    /// Loads until it was refused and accepted, or the rounds are over, while another thread flips
    /// something about. Returns what was answered.
    private func load(
        _ directory: String, rounds: Int, while flip: @escaping @Sendable () -> Void
    ) throws -> (accepted: Int, refused: [String]) {
        let isOver = Guarded(false)
        let flips = Guarded(0)
        let thread = Thread {
            while !isOver.value {
                flip()
                flips.change { $0 += 1 }
            }
            isOver.change { $0 = false }
        }
        thread.start()
        defer {
            isOver.change { $0 = true }
            #expect(isOver.wait { !$0 })
        }
        #expect(flips.wait { $0 > 10 })
        var accepted = 0
        var refused: [String] = []
        for _ in 0..<rounds {
            let host = try TestHost(observing: false)
            let (answer, text) = host.load(directory)
            if answer == .ok {
                accepted += 1
                // It is the right one, and it works.
                let task = try host.launch("org.curfew.test.patient")
                try host.waitUntil("running") {
                    try host.query(task).phase == CURFEW_TASK_PHASE_RUNNING
                }
                #expect(host.cancel(task) == .ok)
                #expect(host.wait(task) == .ok)
            } else {
                #expect(answer == .refused, "\(answer) \(text)")
                refused.append(text)
            }
        }
        return (accepted, refused)
    }

    @Test("a library that becomes a link and back, thousands of times, is the right one or refused")
    func flippedLink() throws {
        let files = try TemporaryDirectory()
        let directory = files.path("patient")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: directory)
        // Would register nothing that the manifest declares, and say so in the environment.
        let bad = BuiltProducts.testPluginDirectory("nonote") + "/libnonote.so"
        let library = directory + "/libpatient.so"
        try FileManager.default.moveItem(atPath: library, toPath: files.path("good"))
        try FileManager.default.createSymbolicLink(
            atPath: directory + "/link", withDestinationPath: bad)
        try #require(link(files.path("good"), library) == 0)
        let good = files.path("good")
        let (accepted, refused) = try load(directory, rounds: WholeMatrix.rounds(40, whole: 150)) {
            // Two names of one entry each, so that the library's name is always there.
            symlink(bad, directory + "/next")
            rename(directory + "/next", library)
            Glibc.link(good, directory + "/next")
            rename(directory + "/next", library)
        }
        #expect(accepted > 0)
        #expect(refused.allSatisfy { $0.contains("is a symbolic link") }, "\(refused.first ?? "")")
        #expect(getenv("CURFEW_TEST_NONOTE") == nil)
    }

    @Test("a library that is replaced by another one, thousands of times, is one of the two")
    func flippedFile() throws {
        let files = try TemporaryDirectory()
        let directory = files.path("patient")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: directory)
        let library = directory + "/libpatient.so"
        let (good, bad) = (files.path("good"), files.path("bad"))
        try FileManager.default.copyItem(atPath: library, toPath: good)
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("nonote") + "/libnonote.so", toPath: bad)
        let (accepted, refused) = try load(directory, rounds: WholeMatrix.rounds(40, whole: 150)) {
            for file in [bad, good] {
                Glibc.link(file, directory + "/next")
                rename(directory + "/next", library)
            }
        }
        #expect(accepted > 0)
        #expect(refused.allSatisfy { $0.contains("has no Curfew note") }, "\(refused.first ?? "")")
        #expect(getenv("CURFEW_TEST_NONOTE") == nil)
    }

    @Test(
        "a plugin's directory that is flipped to another one is one of the two, never half of each")
    func flippedDirectory() throws {
        let files = try TemporaryDirectory()
        let good = files.path("good")
        let bad = files.path("bad")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: good)
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: bad)
        try FileManager.default.removeItem(atPath: bad + "/libpatient.so")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("noentry") + "/libnoentry.so",
            toPath: bad + "/libpatient.so")
        let current = files.path("current")
        try FileManager.default.createSymbolicLink(
            atPath: current, withDestinationPath: "good")
        let next = files.path("next")
        let (accepted, refused) = try load(current, rounds: WholeMatrix.rounds(40, whole: 150)) {
            for target in ["bad", "good"] {
                symlink(target, next)
                rename(next, current)
            }
        }
        #expect(accepted > 0)
        #expect(
            refused.allSatisfy { $0.contains("exports no curfew_plugin_entry") },
            "\(refused.first ?? "")")
    }

    @Test("a library that is written to while it is read is refused, or taken whole")
    func beingWritten() throws {
        let files = try TemporaryDirectory()
        let directory = files.path("patient")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: directory)
        let library = directory + "/libpatient.so"
        // Behind what counts, and so far that reading takes a while.
        let end: off_t = 32 << 20
        let descriptor = open(library, O_WRONLY)
        defer { close(descriptor) }
        try #require(ftruncate(descriptor, end) == 0)
        var refused: [String] = []
        // The writer may be held up by the disk.
        for _ in 0..<20 where refused.isEmpty {
            refused = try load(directory, rounds: 1) {
                var byte: UInt8 = 1
                pwrite(descriptor, &byte, 1, end - 1)
            }.refused
        }
        #expect(refused.first?.contains("\(library) changes while it is read") == true)
    }

    @Test("a library that wants another one from its own directory is refused, naming that")
    func beside() throws {
        let files = try TemporaryDirectory()
        let plugin = try HookedPlugin()
        try files.write("int beside(void) { return 1; }", to: "beside.c")
        try files.write(
            """
            #include <curfew/plugin.h>
            CURFEW_PLUGIN_NOTE();
            int beside(void);
            CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
                const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
                return beside();
            }
            """, to: "plugin.c")
        let build = try ChildProcess.run(
            "sh",
            [
                "-ec",
                """
                gcc -shared -fPIC -o '\(plugin.directory)/libbeside.so' beside.c
                gcc -shared -fPIC -w -I '\(BuiltProducts.packageRoot)/include' plugin.c \
                  -o '\(plugin.directory)/libhooked.so' -L '\(plugin.directory)' -lbeside \
                  '-Wl,-rpath,$ORIGIN'
                """,
            ], directory: files.path)
        try #require(build.succeeded, "\(build.errorOutput)")
        let host = try TestHost()
        let (answer, text) = plugin.load(in: host)
        #expect(answer == .refused)
        #expect(text.contains("wants libbeside.so from its own directory ($ORIGIN)"))
        // Where it is found in another way, all is well.
        try FileManager.default.removeItem(atPath: plugin.directory + "/libbeside.so")
        let (_, other) = plugin.load(in: host)
        #expect(other.contains("it needs libbeside.so, which is in none of the directories"))
        #expect(other.contains("\(plugin.directory)/libhooked.so could not be loaded: "))
        #expect(!other.contains("/proc/"))
    }

    /// What is mapped in this process.
    private func maps() throws -> String {
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    @Test("the same content at the same path is one image for all hosts")
    func oneImage() throws {
        let files = try TemporaryDirectory()
        let directory = files.path("patient")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: directory)
        func images() throws -> Int {
            try maps().split(separator: "\n").count {
                $0.contains("/memfd:libpatient.so") && $0.contains("r-xp")
            }
        }
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let before = try images()
        let openBefore = try descriptors()
        for _ in 0..<50 {
            let host = try TestHost(observing: false)
            #expect(host.load(directory).answer == .ok)
            // Written anew, with the same bytes.
            let library = directory + "/libpatient.so"
            let bytes = try Data(contentsOf: URL(fileURLWithPath: library))
            try bytes.write(to: URL(fileURLWithPath: library), options: .atomic)
            host.destroy()
        }
        #expect(try images() == before + 1)
        // Foundation's own come and go.
        #expect(try descriptors() < openBefore + 20)
        // Another content at the path is another image.
        let handle = try #require(
            FileHandle(forWritingAtPath: directory + "/libpatient.so"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0]))
        try handle.close()
        let host = try TestHost(observing: false)
        #expect(host.load(directory).answer == .ok)
        #expect(try images() == before + 2)
    }

    @Test("code of a plugin is told by the path it came from")
    func names() throws {
        let host = try TestHost()
        let seen = Guarded<String?>(nil)
        let plugin = try HookedPlugin { api, info, error in
            // Swift's Glibc does not have dladdr; the file's name is the first of four pointers.
            typealias Look =
                @convention(c) (
                    UnsafeRawPointer, UnsafeMutablePointer<UnsafePointer<CChar>?>
                ) -> Int32
            let look = unsafeBitCast(dlsym(nil, "dladdr"), to: Look.self)
            let retire = unsafeBitCast(info.pointee.retire, to: UnsafeRawPointer.self)
            var facts = [UnsafePointer<CChar>?](repeating: nil, count: 4)
            if look(retire, &facts) != 0, let name = facts[0] {
                let text = String(cString: name)
                seen.change { $0 = text }
            }
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(plugin.load(in: host).answer == .ok)
        let path = try #require(seen.value)
        #expect(path.hasSuffix("/libhooked.so"))
        #expect(access(path, R_OK) == 0)
    }

    @Test("with CURFEW_PLUGIN_COPIES the copies are files, in a private directory")
    func copies() throws {
        // The environment is this process' own; no other test runs meanwhile.
        let files = try TemporaryDirectory()
        setenv("CURFEW_PLUGIN_COPIES", files.path, 1)
        defer { unsetenv("CURFEW_PLUGIN_COPIES") }
        let plugin = try HookedPlugin()
        #expect(plugin.load(in: try TestHost()).answer == .ok)
        let made = try FileManager.default.contentsOfDirectory(atPath: files.path)
        #expect(made.count == 1)
        let name = try #require(made.first)
        #expect(name.hasPrefix("libhooked.so-"))
        #expect(
            FileManager.default.contentsEqual(
                atPath: files.path(name), andPath: plugin.directory + "/libhooked.so"))
        let mode = try FileManager.default.attributesOfItem(atPath: files.path(name))[
            .posixPermissions]
        #expect(mode as? Int == 0o500)
        #expect(try maps().contains(files.path(name)))
        try chmod(files.path, 0o777)
        let (answer, text) = try HookedPlugin().load(in: try TestHost())
        #expect(answer == .system)
        #expect(text.contains("\(files.path) can be changed by everyone"))
    }

    @Test(
        "a limit of file sizes refuses a plugin, ends nothing, and leaves no copy behind",
        .enabled(if: !ProcessFacts.isSanitized), arguments: [true, false])
    func fileSizes(inFile: Bool) throws {
        let files = try TemporaryDirectory()
        if inFile { setenv("CURFEW_PLUGIN_COPIES", files.path, 1) }
        defer { unsetenv("CURFEW_PLUGIN_COPIES") }
        let (host, plugin) = (try TestHost(), try HookedPlugin())
        // Threads of Dispatch block signals; those of others do not.
        var (signal, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signal)
        sigaddset(&signal, SIGXFSZ)
        pthread_sigmask(SIG_UNBLOCK, &signal, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        var tight = before
        tight.rlim_cur = 4_096
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &tight)
        let (answer, text) = plugin.load(in: host)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        #expect(answer == .system)
        #expect(text.contains("ulimit -f"), "\(text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
        var after = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &after)
        #expect(sigismember(&after, SIGXFSZ) == 0)
        #expect(try HookedPlugin().load(in: host).answer == .ok)
    }

    /// A plugin that is linked with another library as `flags` say, in a directory `plugin`.
    ///
    /// - Parameter name: of that library; what was loaded once under a name is taken again.
    private func linked(
        _ flags: [String], in files: TemporaryDirectory, entry: String = "curfew_plugin_entry",
        with name: String = "a"
    ) throws -> String {
        try files.write("int a(void) { return 1; }", to: "a.c")
        try files.write(
            """
            #include <curfew/plugin.h>
            CURFEW_PLUGIN_NOTE();
            int a(void);
            CURFEW_PLUGIN_EXPORT curfew_status \(entry)(
                const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
                (void)api, (void)info, (void)error;
                return a() == 1 ? CURFEW_FAILED : CURFEW_OK;
            }
            """, to: "b.c")
        let directory = files.path("plugin")
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let include = "\(BuiltProducts.packageRoot)/include"
        for arguments in [
            ["-o", files.path("lib\(name).so"), files.path("a.c")],
            ["-I", include, "-o", "\(directory)/libb.so", files.path("b.c")] + flags
                + ["-L", files.path, "-l\(name)"],
        ] {
            let gcc = try ChildProcess.run("gcc", ["-shared", "-fPIC"] + arguments)
            try #require(gcc.succeeded, "\(gcc)")
        }
        try files.write(
            """
            {"id": "org.example.linked", "version": "1.0.0", "abi": 0, "library": "libb.so",
             "handlers": [{"identifier": "org.example.linked", "kind": "app-refresh"}]}
            """, to: "plugin/manifest.json")
        return directory
    }

    @Test("no library is loaded from a directory that other users can write to")
    func searchPath() throws {
        let host = try TestHost()
        func load(_ path: String) throws -> (answer: Answer, text: String) {
            let files = try TemporaryDirectory()
            return host.load(try linked(["-Wl,-rpath,\(path)"], in: files))
        }
        for path in [".", "lib", ":/usr/lib"] {
            let (answer, text) = try load(path)
            #expect(answer == .refused)
            #expect(text.contains("which is not absolute"), "\(path): \(text)")
        }
        let files = try TemporaryDirectory()
        let directory = try linked(["-Wl,-rpath,\(files.path)"], in: files)
        // What is missing could be made by anybody in /tmp.
        let (answer, text) = try load("/tmp/never/made")
        #expect(answer == .refused)
        #expect(text.contains("/tmp can be changed by everyone"), "\(text)")
        try chmod(files.path, 0o777)
        let open = host.load(directory)
        #expect(open.answer == .refused)
        try chmod(files.path, 0o755)
        // Its entry says no, so it was called.
        #expect(host.load(directory).answer == .failed)
    }

    @Test("a bundled library is refused where other users can write to it")
    func alongWith() throws {
        let host = try TestHost()
        let files = try TemporaryDirectory()
        let directory = try linked(["-Wl,-rpath,\(files.path)"], in: files, with: "along")
        for (mode, isRefused) in [(0o757, true), (0o755, false)] {
            try chmod(files.path("libalong.so"), mode)
            let (answer, text) = host.load(directory)
            // Its entry says no, so it was called.
            #expect(answer == (isRefused ? .refused : .failed), "\(text)")
            guard isRefused else { continue }
            #expect(
                text.contains(
                    "needs libalong.so, which would be loaded from \(files.path)/libalong.so"))
            #expect(host.log.value.contains { $0.contains("CF0326 load-needed: ") })
        }
    }
}
