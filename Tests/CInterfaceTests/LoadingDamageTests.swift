// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Foundation
import TestSupport
import Testing

/// Libraries whose files are not as a linker wrote them. Each would end this process in `dlopen`.
@Suite("Loading a damaged library")
struct LoadingDamageTests {
    /// A copy of a plugin whose library has been changed.
    private func damaged(
        _ change: (inout LibraryBytes) throws -> Void
    ) throws -> (directory: String, files: TemporaryDirectory) {
        let files = try TemporaryDirectory()
        let directory = files.path("patient")
        try FileManager.default.copyItem(
            atPath: BuiltProducts.testPluginDirectory("patient"), toPath: directory)
        var library = LibraryBytes(try files.read("patient/libpatient.so"))
        try change(&library)
        try files.write(library.bytes, to: "patient/libpatient.so")
        return (directory, files)
    }

    @Test("a library that was cut is refused", arguments: [98, 95, 90, 60])
    func cut(_ percent: Int) throws {
        let host = try TestHost()
        let (directory, files) = try damaged { library in
            // Bytes behind the last segment are not loaded.
            let end = library.headers(ofType: 1).map {
                Int(library.long(at: $0 + 8) + library.long(at: $0 + 32))
            }.max()!
            library.bytes.removeLast(library.bytes.count - end * percent / 100)
        }
        let (answer, text) = host.load(directory)
        withExtendedLifetime(files) {}
        #expect(answer == .refused)
        #expect(text.contains("libpatient.so is damaged: "), "\(text)")
        #expect(text.hasSuffix("install the file again, from where it is whole"))
        #expect(host.log.value.contains { $0.contains("CF0324 load-damaged: ") })
    }

    @Test("a relocation that would be written into the host's memory is refused")
    func relocation() throws {
        let host = try TestHost()
        let (directory, files) = try damaged { library in
            library.setLong(0x7F00_0000_0000, at: try #require(library.place(of: 7)))
        }
        let (answer, text) = host.load(directory)
        withExtendedLifetime(files) {}
        #expect(answer == .refused)
        #expect(text.contains("a relocation would be written outside of its segments"), "\(text)")
    }

    @Test("a relocation that does nothing, to a symbol that is in no table, is refused")
    func nothing() throws {
        let host = try TestHost()
        let (directory, files) = try damaged { library in
            // R_X86_64_NONE, and the number of the symbol above it.
            library.setLong(0x8000_0000 << 32, at: try #require(library.place(of: 7)) + 8)
        }
        let (answer, text) = host.load(directory)
        withExtendedLifetime(files) {}
        #expect(answer == .refused)
        #expect(text.contains("it names a symbol that is not in its table"), "\(text)")
    }

    @Test("packed relocations that name a word twice are refused, and those in order are not")
    func packed() throws {
        let files = try TemporaryDirectory()
        try files.write(
            """
            #include <curfew/plugin.h>
            CURFEW_PLUGIN_NOTE();
            static const char *const names[] = {"one", "two", "three"};
            const char *const *volatile all = names;
            static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                                     curfew_error *error) {
                (void)data, (void)api, (void)task, (void)error;
                return all[0] != 0 ? CURFEW_OK : CURFEW_FAILED;
            }
            CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
                const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
                const curfew_handler handler = {
                    .struct_size = sizeof handler, .identifier = "org.example.packed", .run = run};
                (void)info;
                return api->register_handler(api, &handler, error);
            }
            """, to: "packed.c")
        try files.write(
            """
            {"id": "org.example.packed", "version": "1.0.0", "abi": 0, "library": "libpacked.so",
             "handlers": [{"identifier": "org.example.packed", "kind": "app-refresh"}]}
            """, to: "plugin/manifest.json")
        let gcc = try ChildProcess.run(
            "gcc",
            [
                "-shared", "-fPIC", "-I", "\(BuiltProducts.packageRoot)/include",
                "-Wl,-z,pack-relative-relocs", "-Wl,-z,nodelete", "-o", "plugin/libpacked.so",
                "packed.c",
            ], directory: files.path)
        try #require(gcc.succeeded, "\(gcc)")
        var library = LibraryBytes(try files.read("plugin/libpacked.so"))
        // DT_RELR; the table is in the first segment, where addresses are places in the file.
        let table = Int(library.long(at: try #require(library.entry(36)) + 8))
        try #require(library.long(at: table + 8) & 1 == 1)
        #expect(try TestHost().load(files.path("plugin")).answer == .ok)
        library.setLong(library.long(at: table), at: table + 8)
        try files.write(library.bytes, to: "plugin/libpacked.so")
        let (answer, text) = try TestHost().load(files.path("plugin"))
        #expect(answer == .refused)
        #expect(text.contains("its packed relocations name a word twice"), "\(text)")
    }

    @Test(
        "what the rules know nothing of is tried in another process first",
        .enabled(if: !ProcessFacts.isSanitized, "ThreadSanitizer knows no process by clone(2)"))
    func unknown() throws {
        let host = try TestHost()
        // An entry that no loader of today reads, in place of one that is only told.
        let (directory, files) = try damaged { library in
            let place = try #require(library.entry(30) ?? library.entry(0x6FFF_FFFB))
            library.setLong(0x6000_1234, at: place)
        }
        #expect(host.load(directory).answer == .ok)
        withExtendedLifetime(files) {}
    }

    @Test(
        "a library that ends the process that tries it is refused, and the host goes on",
        .enabled(if: !ProcessFacts.isSanitized, "ThreadSanitizer knows no process by clone(2)"))
    func trial() throws {
        let host = try TestHost()
        let files = try TemporaryDirectory()
        // glibc divides by the alignment of the thread-local variables of the library that has the
        // symbol; one that has none of them by zero.
        try files.write("__thread int var;", to: "variable.c")
        try files.write("int var(void) { return 1; }", to: "function.c")
        try files.write(
            """
            #include <curfew/plugin.h>
            CURFEW_PLUGIN_NOTE();
            extern __thread int var __attribute__((tls_model("initial-exec")));
            CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(
                const curfew_host_api *api, curfew_plugin_info *info, curfew_error *error) {
                (void)api, (void)info, (void)error;
                return var;
            }
            """, to: "b.c")
        try files.write(
            """
            {"id": "org.example.trial", "version": "1.0.0", "abi": 0, "library": "libb.so",
             "handlers": [{"identifier": "org.example.trial", "kind": "app-refresh"}]}
            """, to: "plugin/manifest.json")
        for arguments in [
            ["-o", "liba.so", "variable.c"],
            [
                "-I", "\(BuiltProducts.packageRoot)/include", "-o", "plugin/libb.so", "b.c", "-L.",
                "-la", "-Wl,-rpath,\(files.path)",
            ],
            ["-o", "liba.so", "function.c"],
        ] {
            let gcc = try ChildProcess.run(
                "gcc", ["-shared", "-fPIC"] + arguments, directory: files.path)
            try #require(gcc.succeeded, "\(gcc)")
        }
        let (answer, text) = host.load(files.path("plugin"))
        #expect(answer == .refused)
        #expect(
            text.contains("a process that loaded it for a trial was ended by SIGFPE"), "\(text)")
        #expect(host.log.value.contains { $0.contains("CF0325 load-trial: ") })
        // A handler of the host's for children that end hears nothing of it.
        #expect(waitpid(-1, nil, WNOHANG) == -1)
    }
}
