// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew paths")
struct PathsTests {
    private func places(_ run: CommandRun) throws -> [[String: Any]] {
        try #require(try run.document()["plugins"] as? [[String: Any]])
    }

    private static let usual = [
        "/usr/local/lib/curfew/plugins", "/usr/lib/curfew/plugins",
    ]

    @Test("the directories of the user, the machine and the distribution, in order")
    func usual() throws {
        let files = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: files.path(".local/share/curfew/plugins"), withIntermediateDirectories: true)
        let run = try CommandRun(
            "paths", "--json", environment: ["CURFEW_PLUGIN_PATH": "", "HOME": files.path])
        #expect(run.code == 0)
        let places = try places(run)
        #expect(
            places.map { $0["origin"] as? String } == [
                "user", "machine", "installed", "distribution",
            ])
        #expect(places[0]["directory"] as? String == files.path(".local/share/curfew/plugins"))
        #expect(places[0]["exists"] as? Bool == true && places[0]["reason"] is NSNull)
        #expect(places[1]["directory"] as? String == Self.usual[0])
        #expect(places[3]["directory"] as? String == Self.usual[1])
        #expect(places.allSatisfy { $0["used"] as? Bool == true })
        #expect(places.map { $0["directory"] as? String } == (try scanned(files.path)))
    }

    /// Where `curfew plugins` looks.
    private func scanned(_ home: String) throws -> [String?] {
        let run = try CommandRun(
            "plugins", "--json", environment: ["CURFEW_PLUGIN_PATH": "", "HOME": home])
        return try #require(try run.document()["directories"] as? [String])
    }

    @Test("shadowed and faulty plugins, a directory twice, and one that is not there")
    func reasons() throws {
        let files = try TemporaryDirectory()
        let patient = BuiltProducts.testPluginDirectory("patient")
        try files.write("{", to: "a/broken/manifest.json")
        try files.write("", to: "b/nothing")
        for name in ["a/patient", "b/patient"] {
            try FileManager.default.copyItem(atPath: patient, toPath: files.path(name))
        }
        let path = ["a", "b", "a/../a", "no"].map(files.path).joined(separator: ":")
        let environment = ["CURFEW_PLUGIN_PATH": path, "HOME": files.path("home")]
        let run = try CommandRun("paths", "--json", environment: environment)
        let places = try places(run)
        let used = places.filter { $0["used"] as? Bool == true }
        #expect(
            used.map { $0["directory"] as? String } == ["a", "b", "no"].map(files.path),
            "\(run.output)")
        #expect(used.allSatisfy { $0["origin"] as? String == "environment" })
        #expect(used[0]["plugins"] as? Int == 2 && used[0]["faulty"] as? Int == 1)
        #expect(used[2]["reason"] as? String == "it does not exist")
        #expect(places[2]["reason"] as? String == "the same directory as \(files.path("a"))")
        #expect(places.last?["reason"] as? String == "CURFEW_PLUGIN_PATH is set")
        #expect(places.count == 8)
        let shadowed = try #require(try run.document()["shadowed"] as? [[String: Any]])
        #expect(shadowed.count == 1)
        #expect(shadowed[0]["directory"] as? String == files.path("b/patient"))
        #expect(shadowed[0]["by"] as? String == files.path("a/patient"))
        let text = try CommandRun("paths", environment: environment).output
        #expect(text.contains("2 plugins, 1 of them faulty\n"), "\(text)")
        #expect(text.contains("org.curfew.test.patient is taken from \(files.path("a/patient"))"))
    }

    @Test("what a host of the user reads and writes, whether it is there or not")
    func host() throws {
        let files = try TemporaryDirectory()
        try files.write("{}", to: ".config/curfew/curfew.json")
        let environment = [
            "HOME": files.path, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": files.path("state"),
            "CURFEW_STORE": "",
        ]
        let document = try CommandRun("paths", "--json", environment: environment).document()
        for (name, path, exists) in [
            ("configuration", ".config/curfew/curfew.json", true),
            ("store", "state/curfew/store", false),
            ("socket", "state/curfew/store/control.sock", false),
            ("apps", "state/curfew/apps", false),
        ] {
            let file = try #require(document[name] as? [String: Any], "\(name)")
            #expect(file["path"] as? String == files.path(path))
            #expect(file["exists"] as? Bool == exists)
        }
        let text = try CommandRun("paths", environment: environment).output
        #expect(text.contains("\na host of this user has:\n"), "\(text)")
        let server = try CommandRun(
            "paths", "--json",
            environment: environment.merging([
                "CURFEW_STORE": "postgres://a:secret@b/c", "XDG_RUNTIME_DIR": files.path,
            ]) { $1 })
        #expect(try server.document()["store"] == nil && !server.output.contains("secret"))
        let socket = try (server.document()["socket"] as? [String: Any])?["path"] as? String
        #expect(socket?.hasPrefix(files.path("curfew-")) == true, "\(server.output)")
        for url in ["mysql://a:secret@b/c", "POSTGRES://a:secret@b/c"] {
            for command in ["paths", "doctor", "ps"] {
                let run = try CommandRun(
                    command, environment: environment.merging(["CURFEW_STORE": url]) { $1 })
                #expect(!(run.output + run.errors).contains("secret"), "\(run.process)")
            }
            let run = try CommandRun(
                "ps", environment: environment.merging(["CURFEW_STORE": url]) { $1 })
            #expect(run.errors.contains("the store's URL has the scheme"), "\(run.process)")
        }
    }

    @Test("what of the environment is ignored")
    func ignored() throws {
        let run = try CommandRun(
            "paths", environment: ["CURFEW_PLUGIN_PATH": "", "HOME": "", "XDG_DATA_HOME": "data"])
        #expect(run.output.contains("note: XDG_DATA_HOME is ignored: it is not an absolute path\n"))
        let without = try CommandRun(
            "paths", environment: ["CURFEW_PLUGIN_PATH": "", "HOME": ""])
        #expect(
            without.output.contains("note: the user has no directory of plugins: HOME is not set\n")
        )
    }

    @Test("an installation has its library, its schema and its plugins")
    func installation() throws {
        let prefix = BuiltProducts.prefix
        let run = try ChildProcess.run(
            prefix + "/bin/curfew", ["paths", "--json"], environment: ["PATH": "/usr/bin:/bin"])
        #expect(run.succeeded)
        let value = try JSONSerialization.jsonObject(with: Data(run.outputBytes))
        let document = try #require(value as? [String: Any])
        for (name, end) in [
            ("program", "/bin/curfew"), ("library", "/lib/libcurfew.so."),
            ("schema", "/share/curfew/manifest.schema.json"),
            ("templates", "/share/curfew/templates"),
        ] {
            let file = try #require(document[name] as? [String: Any])
            #expect(file["exists"] as? Bool == true)
            #expect((file["path"] as? String ?? "").hasPrefix(prefix + end))
        }
        let places = try #require(document["plugins"] as? [[String: Any]])
        let own = try #require(places.first { $0["origin"] as? String == "installed" })
        #expect(own["directory"] as? String == prefix + "/lib/curfew/plugins")
        #expect(try #require(own["plugins"] as? Int) > 0)
    }
}
