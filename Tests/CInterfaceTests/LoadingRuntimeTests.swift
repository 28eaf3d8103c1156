// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Loading in processes that are not this one: without a Swift runtime of their own, as other users.
@Suite("Loading a plugin in another process")
struct LoadingRuntimeTests {
    /// What is installed: no Swift in it that a process would notice.
    private static let library = BuiltProducts.prefix + "/lib/libcurfew.so"
    private static let curfew = BuiltProducts.prefix + "/bin/curfew"
    private static let isInstalled = FileManager.default.fileExists(atPath: library)
    /// A plugin of this build, which is linked to libswiftCore.so.
    private static let mirror = BuiltProducts.path(ofProduct: "libmirror.so")
    private static let isInstrumented: Bool = {
        let run = try? ChildProcess.run("nm", ["-D", mirror])
        return run?.output.contains("__asan_") != false || run?.output.contains("__tsan_") != false
    }()

    /// A plugin's directory with the library of this build.
    private func swiftPlugin() throws -> TemporaryDirectory {
        let files = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: Self.mirror, toPath: files.path("libmirror.so"))
        try FileManager.default.copyItem(
            atPath: BuiltProducts.packageRoot + "/Plugins/mirror/manifest.json",
            toPath: files.path("manifest.json"))
        return files
    }

    @Test(
        "the crash handlers of the Swift runtime a plugin brings go away again, without a word",
        .enabled(if: isInstalled && !isInstrumented))
    func handlers() throws {
        let files = try swiftPlugin()
        let script = """
            import ctypes, sys
            def caught():
                with open("/proc/self/status") as status:
                    lines = [line.split() for line in status]
                return [line[1] for line in lines if line[0] in ("SigCgt:", "SigIgn:")]
            curfew = ctypes.CDLL(sys.argv[1])
            host = ctypes.c_void_p()
            assert curfew.curfew_host_create(None, ctypes.byref(host), None) == 0
            before = caught()
            error = (ctypes.c_uint32 * 256)(1024)
            status = curfew.curfew_host_load_plugin(host, sys.argv[2].encode(), error)
            with open("/proc/self/maps") as maps:
                loaded = "libswiftCore.so" in maps.read()
            print(status, bytes(error)[8:].split(b"\\0")[0].decode())
            print("runtime" if loaded else "no runtime")
            print("same" if before == caught() else "different", before, caught())
            assert curfew.curfew_host_destroy(host, None, None) == 0
            """
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = nil
        let run = try ChildProcess.run(
            "python3", ["-c", script, Self.library, files.path], environment: environment)
        #expect(run.succeeded, "\(run.errorOutput)")
        #expect(run.output.hasPrefix("0 \nruntime\nsame "), "\(run.output)")
        // Warnings and worse would stand there.
        #expect(run.errorOutput == "")
        // Without a host in between they stay: there is something to be seen.
        let plain = """
            import ctypes, sys
            ctypes.CDLL(sys.argv[1])
            with open("/proc/self/status") as status:
                print([line.split()[1] for line in status if line.startswith("SigCgt:")][0])
            """
        let none = try ChildProcess.run(
            "python3", ["-c", plain, "libc.so.6"], environment: environment)
        let some = try ChildProcess.run(
            "python3", ["-c", plain, Self.mirror], environment: environment)
        #expect(none.output != some.output)
    }

    @Test("libcrypto is opened for a pin, and only then", .enabled(if: isInstalled))
    func noLibcrypto() throws {
        let run = try ChildProcess.run("readelf", ["-d", "--wide", Self.library])
        #expect(run.succeeded)
        #expect(run.output.contains("NEEDED"))
        #expect(!run.output.contains("libcrypto") && !run.output.contains("libssl"))
        let script = """
            import ctypes, sys
            curfew = ctypes.CDLL(sys.argv[1])
            host = ctypes.c_void_p()
            assert curfew.curfew_host_create(None, ctypes.byref(host), None) == 0
            print(curfew.curfew_host_load_plugin(host, sys.argv[2].encode(), None))
            with open("/proc/self/maps") as maps:
                print("libcrypto" in maps.read())
            """
        let plugin = BuiltProducts.testPluginDirectory("patient")
        let load = try ChildProcess.run("python3", ["-c", script, Self.library, plugin])
        #expect(load.output == "0\nFalse\n", "\(load.errorOutput)")
    }

    @Test("in a user namespace with one user in it, what root outside owns is loaded")
    func userNamespace() throws {
        let plugin = BuiltProducts.testPluginDirectory("patient")
        func run(_ words: [String]) throws -> ChildProcess {
            try ChildProcess.run("unshare", ["--user", "--map-user=1000"] + words)
        }
        // Not every machine lets everyone have one.
        guard try run(["true"]).succeeded else { return }
        let owner = try run(["stat", "-c", "%u", "/"])
        try #require(owner.output == "1000\n" || owner.output == "65534\n")
        let curfew = BuiltProducts.path(ofProduct: "curfew")
        let words = [curfew, "inspect", "--load", plugin]
        let inside = try run(words)
        #expect(inside.succeeded, "\(inside.output)\(inside.errorOutput)")
    }

    @Test(
        "a user loads what is root's, and not what is another user's",
        .enabled(if: geteuid() == 0))
    func otherUser() throws {
        let files = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: files.path("patient"))
        // Tests that run below a directory only root may enter cannot show this.
        let curfew = BuiltProducts.path(ofProduct: "curfew")
        func load(as user: String) throws -> ChildProcess {
            try ChildProcess.run(
                "setpriv",
                [
                    "--reuid=\(user)", "--regid=\(user)", "--clear-groups", curfew, "inspect",
                    "--load", files.path("patient"),
                ])
        }
        try #require(chmod(files.path, 0o755) == 0)
        guard
            try ChildProcess.run(
                "setpriv", ["--reuid=54321", "--clear-groups", "test", "-x", curfew]
            )
            .succeeded
        else { return }
        let roots = try load(as: "54321")
        #expect(roots.succeeded, "\(roots.output)\(roots.errorOutput)")
        try #require(chown(files.path("patient"), 54_321, 54_321) == 0)
        #expect(try load(as: "54321").succeeded)
        let others = try load(as: "54322")
        #expect(!others.succeeded)
        #expect(others.output.contains("chown 54322 "), "\(others.output)")
    }
}
