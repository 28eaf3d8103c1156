// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("What make install leaves behind")
struct InstallationTests {
    let installation: Installation

    init() throws {
        installation = try Installation.forTests()
    }

    private func source(_ path: String) throws -> String {
        try String(contentsOfFile: "\(BuiltProducts.packageRoot)/\(path)", encoding: .utf8)
    }

    /// The libraries of the installed plugins; one that calls the system's has none of its own.
    private func pluginLibraries() throws -> [String] {
        let plugins = installation.path("lib/curfew/plugins")
        return try FileManager.default.contentsOfDirectory(atPath: plugins)
            .map { "\(plugins)/\($0)/lib\($0).so" }
            .filter(FileManager.default.fileExists(atPath:))
    }

    private func sourceVersion() throws -> String {
        let header = try source("include/curfew/version.h")
        let match = try #require(header.firstMatch(of: /CURFEW_VERSION_STRING "([0-9.]+)"/))
        return String(match.1)
    }

    @Test("libcurfew.so exports what the list says, B4X's in a symbol version of their own")
    func exportsTheList() throws {
        let listed = try source("Tests/EmbeddingTests/libcurfew.symbols").split(separator: "\n")
        let exported = try Installation.exports(of: installation.library)
        #expect(
            exported.sorted()
                == listed.map {
                    $0.hasPrefix("curfew_target_") ? "\($0)@@CURFEW_B4X_1" : "\($0)@@CURFEW_1"
                })
    }

    @Test("The list of exports has every function that the host's headers declare, in order")
    func listsEveryFunction() throws {
        let text = try Installation.output(
            "gcc",
            [
                "-E", "-P", "-I\(installation.path("include"))",
                installation.path("include/curfew/curfew.h"),
            ])
        // A parenthesis with a star begins a pointer to a function, not a function.
        let declared = Set(text.matches(of: /\b(curfew_\w+)\s*\([^*]/).map { String($0.1) })
            .subtracting(["curfew_plugin_entry"])
        let listed = try source("Tests/EmbeddingTests/libcurfew.symbols")
        #expect(listed == declared.sorted().map { "\($0)\n" }.joined())
    }

    @Test("libcurfew.so needs libraries of C, libffi and SQLite, no Swift, C++, ICU or Dispatch")
    func needsLittle() throws {
        let allowed = [
            "libc", "libm", "libffi", "libsqlite3", "libgcc_s", "libpthread", "libdl",
        ]
        let needed = try Installation.dynamic("NEEDED", of: installation.library)
        #expect(needed.contains("libffi.so.8"))
        for library in needed where !library.hasPrefix("ld-linux-") {
            #expect(allowed.contains(String(library.prefix { $0 != "." })), "\(library)")
        }
    }

    @Test("Installed plugins and the command bring their Swift runtime, and C plugins need none")
    func plugsInAnywhere() throws {
        let libraries = try pluginLibraries()
        #expect(!libraries.isEmpty)
        for file in libraries + [installation.path("bin/curfew")] {
            let needed = try Installation.dynamic("NEEDED", of: file)
            #expect(needed.contains("libc.so.6"))
            for library in needed {
                #expect(!library.contains("swift"), "\(file)")
                #expect(!library.contains("oundation"), "\(file)")
                #expect(!library.contains("dispatch"), "\(file)")
            }
        }
    }

    @Test("A plugin exports its entry, or its subs, and nothing else")
    func pluginsExportTheirEntry() throws {
        for library in try pluginLibraries() {
            let exported = try Installation.exports(of: library)
            let subs = exported.filter {
                $0.hasPrefix("dobackground") || $0.hasPrefix("background")
            }
            let wanted = library.hasSuffix("-subs.so") ? subs : ["curfew_plugin_entry"]
            #expect(!exported.isEmpty)
            #expect(exported == wanted, "\(library)")
        }
    }

    @Test("The names of the library, its soname and its links follow the version")
    func followsTheVersion() throws {
        let version = try sourceVersion()
        let major = version.prefix { $0 != "." }
        #expect(installation.library.hasSuffix("/lib/libcurfew.so.\(version)"))
        #expect(
            try Installation.dynamic("SONAME", of: installation.library) == [
                "libcurfew.so.\(major)"
            ])
        #expect(
            try FileManager.default.destinationOfSymbolicLink(
                atPath: installation.path("lib/libcurfew.so.\(major)")) == "libcurfew.so.\(version)"
        )
        #expect(
            try FileManager.default.destinationOfSymbolicLink(
                atPath: installation.path("lib/libcurfew.so")) == "libcurfew.so.\(major)")
    }

    @Test("libcurfew.so stays mapped once it was loaded")
    func staysMapped() throws {
        let flags = try Installation.dynamic("FLAGS_1", of: installation.library)
        #expect(flags.joined().contains("NODELETE"))
    }

    @Test("pkg-config knows the version, the flags and where plugins go")
    func pkgConfigKnows() throws {
        let version = try sourceVersion()
        let prefix = installation.prefix
        #expect(try installation.pkgConfig("--modversion") == [version])
        #expect(try installation.pkgConfig("--cflags") == ["-I\(prefix)/include"])
        #expect(try installation.pkgConfig("--libs") == ["-L\(prefix)/lib", "-lcurfew"])
        #expect(
            try installation.pkgConfig("--variable=plugindir") == ["\(prefix)/lib/curfew/plugins"])
    }

    @Test("The schema of manifests is installed as it is in the source")
    func installsTheSchema() throws {
        #expect(
            FileManager.default.contentsEqual(
                atPath: "\(BuiltProducts.packageRoot)/Plugins/manifest.schema.json",
                andPath: installation.path("share/curfew/manifest.schema.json")))
    }

    @Test("The guides are installed, with their pictures")
    func installsTheGuides() throws {
        let from = "\(BuiltProducts.packageRoot)/Documentation"
        let to = installation.path("share/doc/curfew")
        let names = try FileManager.default.subpathsOfDirectory(atPath: to)
        #expect(names.count { $0.hasSuffix(".md") } > 30)
        #expect(["control.md", "thresholds.md", "page-overview.png"].allSatisfy(names.contains))
        for name in names where name != "codes" {
            #expect(
                FileManager.default.contentsEqual(
                    atPath: "\(from)/\(name)", andPath: "\(to)/\(name)"))
        }
    }

    @Test("The installed headers are those of the source, all of them")
    func installsTheHeaders() throws {
        let from = "\(BuiltProducts.packageRoot)/include/curfew"
        let to = installation.path("include/curfew")
        let names = try FileManager.default.subpathsOfDirectory(atPath: from)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: to).sorted() == names.sorted())
        for name in names where name.hasSuffix(".h") {
            #expect(
                FileManager.default.contentsEqual(
                    atPath: "\(from)/\(name)", andPath: "\(to)/\(name)"))
        }
    }

    @Test("Uninstalling takes away what was installed, and leaves what others put there")
    func uninstalls() throws {
        let stage = try TemporaryDirectory()
        let staged = Installation(prefix: stage.path("opt/test prefix"))
        try make("install", stage: stage.path)
        #expect(staged.contents() == installation.contents())
        let description = try String(
            contentsOfFile: staged.path("lib/pkgconfig/curfew.pc"), encoding: .utf8)
        #expect(description.hasPrefix(#"prefix=/opt/test\ prefix"# + "\n"))

        let foreign = "lib/curfew/plugins/foreign/manifest.json"
        try stage.write("{}", to: "opt/test prefix/" + foreign)
        try make("uninstall", stage: stage.path)
        let left = ["lib/curfew", "lib/curfew/plugins", "lib/curfew/plugins/foreign", foreign]
        #expect(staged.contents() == left)

        try FileManager.default.removeItem(atPath: staged.path("lib/curfew"))
        try make("install", stage: stage.path)
        try make("uninstall", stage: stage.path)
        #expect(staged.contents() == [])
    }

    /// Runs make without a Swift to be found, as root often has none: it must take what is built.
    private func make(_ target: String, stage: String) throws {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.contains("MAKE") }
        _ = try Installation.output(
            "make", [target, "DESTDIR=\(stage)", "PREFIX=/opt/test prefix", "SWIFT=no-swift"],
            environment: environment, directory: BuiltProducts.packageRoot)
    }
}
