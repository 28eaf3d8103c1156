// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// Plugins that are found without being named.
@Suite("Discovery", .serialized)
struct DiscoveryTests {
    private let files: TemporaryDirectory

    init() throws {
        files = try TemporaryDirectory()
    }

    /// Writes a plugin whose library could not be loaded.
    private func write(_ place: String, id: String) throws {
        try files.write(
            """
            {"id": "\(id)", "version": "1.0.0", "abi": 0, "library": "libnone.so",
             "handlers": [{"identifier": "\(id)", "kind": "processing"}]}
            """, to: place + "/manifest.json")
        try files.write("no library", to: place + "/libnone.so")
    }

    /// Calls it with variables of this process' environment, which are put back.
    private func discover(
        _ host: TestHost, _ variables: [String: String]
    ) -> (answer: Answer, found: UInt32) {
        let names = ["CURFEW_PLUGIN_PATH", "XDG_DATA_HOME", "HOME"]
        let before = names.map { name in (name, getenv(name).map { String(cString: $0) }) }
        for name in names { unsetenv(name) }
        for (name, value) in variables { setenv(name, value, 1) }
        defer {
            for (name, value) in before {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
        }
        var found: UInt32 = 0
        return (Answer(curfew_host_discover_plugins(host.raw, &found, nil)), found)
    }

    /// What is listed: the place below the test's directory, the phase and the reason.
    private func list(_ host: TestHost) -> [(place: String, phase: Int, reason: String)] {
        (0..<curfew_host_get_plugin_count(host.raw)).compactMap { index in
            OutStruct.filled(curfew_plugin_state.self) {
                curfew_host_get_plugin(host.raw, index, $0, nil)
            }.value
        }.map {
            (
                String(cString: $0.directory).replacing(files.path + "/", with: ""),
                Int($0.phase), String(cString: $0.reason)
            )
        }
    }

    @Test("nothing is looked for until it is asked for")
    func off() throws {
        try write("data/curfew/plugins/a", id: "org.example.a")
        let host = try TestHost()
        #expect(curfew_host_get_plugin_count(host.raw) == 0)
        let (answer, found) = discover(host, ["XDG_DATA_HOME": files.path("data")])
        #expect(answer == .ok)
        // A machine may have plugins of its own.
        #expect(found >= 1)
        #expect(list(host).first?.place == "data/curfew/plugins/a")
        #expect(list(host).first?.phase == CURFEW_PLUGIN_PHASE_VALIDATED)
        #expect(curfew_host_get_handler_count(host.raw) == 0)
    }

    @Test("the first plugin with an id wins, and the others are listed as shadowed")
    func shadowing() throws {
        try write("one/a", id: "org.example.a")
        try write("two/a", id: "org.example.a")
        try write("two/b", id: "org.example.b")
        try files.write("{", to: "two/c/manifest.json")
        try write("three", id: "org.example.b")
        let path = ["none", "one", "two", "three", "one", "two/../one/a"].map(files.path)
        let variables = ["CURFEW_PLUGIN_PATH": path.joined(separator: ":"), "HOME": files.path]
        let host = try TestHost()
        for _ in 1...2 {
            let (answer, found) = discover(host, variables)
            #expect(answer == .ok)
            #expect(found == 5)
            let list = list(host)
            #expect(list.map(\.place) == ["one/a", "two/a", "two/b", "two/c", "three"])
            #expect(
                list.map(\.phase) == [
                    CURFEW_PLUGIN_PHASE_VALIDATED, CURFEW_PLUGIN_PHASE_SHADOWED,
                    CURFEW_PLUGIN_PHASE_VALIDATED,
                    CURFEW_PLUGIN_PHASE_FAILED, CURFEW_PLUGIN_PHASE_SHADOWED,
                ])
            #expect(list[0].reason == "")
            #expect(
                list[1].reason.hasPrefix("the plugin \"org.example.a\" in \(files.path("one/a"))"))
            #expect(list[3].reason.contains("two/c/manifest.json"))
            #expect(list[4].reason.contains(files.path("two/b")))
        }
    }

    @Test("what is loaded stays loaded, and shadows what is found")
    func loaded() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin()
        #expect(plugin.load(in: host).answer == .ok)
        try write("one/a", id: "org.example.hooked")
        try FileManager.default.createSymbolicLink(
            atPath: files.path("one/link"), withDestinationPath: plugin.directory)
        #expect(discover(host, ["CURFEW_PLUGIN_PATH": files.path("one")]).found == 2)
        let list = list(host)
        #expect(list.map(\.phase) == [CURFEW_PLUGIN_PHASE_READY, CURFEW_PLUGIN_PHASE_SHADOWED])
        #expect(list[1].reason.contains(plugin.directory))
    }

    @Test("a plugin that is shadowed can be loaded by its directory")
    func chosen() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin()
        try write("one", id: "org.example.hooked")
        let path = files.path("one") + ":" + plugin.directory
        #expect(discover(host, ["CURFEW_PLUGIN_PATH": path]).found == 2)
        #expect(
            list(host).map(\.phase) == [
                CURFEW_PLUGIN_PHASE_VALIDATED, CURFEW_PLUGIN_PHASE_SHADOWED,
            ])
        #expect(plugin.load(in: host).answer == .ok)
        #expect(
            list(host).map(\.phase) == [CURFEW_PLUGIN_PHASE_VALIDATED, CURFEW_PLUGIN_PHASE_READY])
        #expect(list(host)[1].reason == "")
    }

    @Test("the usual directories: the user's own first")
    func usual() throws {
        try write("data/curfew/plugins/a", id: "org.example.a")
        try write("home/.local/share/curfew/plugins/b", id: "org.example.b")
        for (variables, place) in [
            (
                ["XDG_DATA_HOME": files.path("data"), "HOME": files.path("home")],
                "data/curfew/plugins/a"
            ),
            (["HOME": files.path("home")], "home/.local/share/curfew/plugins/b"),
        ] {
            let host = try TestHost()
            #expect(discover(host, variables).answer == .ok)
            #expect(list(host).first?.place == place)
        }
    }

    private func loadAll(
        _ host: TestHost, _ directory: String?
    ) -> (answer: Answer, loaded: UInt32, failed: UInt32) {
        var (loaded, failed): (UInt32, UInt32) = (0, 0)
        let answer = Answer(curfew_host_load_all(host.raw, directory, &loaded, &failed, nil))
        return (answer, loaded, failed)
    }

    @Test("all plugins of a directory are loaded, and none keeps another from it")
    func all() throws {
        let plugin = BuiltProducts.testPluginDirectory("good")
        try write("one/broken", id: "org.example.broken")
        try files.write("{", to: "one/faulty/manifest.json")
        try write("one/later", id: "org.curfew.test.good")
        try FileManager.default.createSymbolicLink(
            atPath: files.path("one/good"), withDestinationPath: plugin)
        let host = try TestHost()
        let first = loadAll(host, files.path("one"))
        #expect(first.answer == .ok)
        #expect(first.loaded == 1)
        #expect(first.failed == 2)
        #expect(
            list(host).map { "\($0.place) \($0.phase)" } == [
                "one/broken \(CURFEW_PLUGIN_PHASE_FAILED)",
                "one/faulty \(CURFEW_PLUGIN_PHASE_FAILED)",
                "one/good \(CURFEW_PLUGIN_PHASE_READY)",
                "one/later \(CURFEW_PLUGIN_PHASE_SHADOWED)",
            ])
        #expect(
            list(host).filter { $0.phase == CURFEW_PLUGIN_PHASE_FAILED }.allSatisfy {
                !$0.reason.isEmpty
            })
        #expect(curfew_host_get_handler_count(host.raw) > 0)
        // A second time those that failed are tried again, and what is loaded stays.
        let second = loadAll(host, files.path("one"))
        #expect(second.answer == .ok)
        #expect(second.loaded == 0)
        #expect(second.failed == 2)
        #expect(loadAll(host, files.path("none")).answer == .system)
    }

    @Test("a configuration loads the plugins of the standard directories")
    func atStart() throws {
        let plugin = BuiltProducts.testPluginDirectory("good")
        try write("broken", id: "org.example.broken")
        let path = files.path("broken") + ":" + plugin
        let before = getenv("CURFEW_PLUGIN_PATH").map { String(cString: $0) }
        setenv("CURFEW_PLUGIN_PATH", path, 1)
        defer {
            if let before {
                setenv("CURFEW_PLUGIN_PATH", before, 1)
            } else {
                unsetenv("CURFEW_PLUGIN_PATH")
            }
        }
        let host = try TestHost { $0.load_plugins = true }
        #expect(
            list(host).map(\.phase) == [CURFEW_PLUGIN_PHASE_FAILED, CURFEW_PLUGIN_PHASE_READY])
    }

    @Test("is refused inside the host and after its end")
    func refused() throws {
        let host = try TestHost()
        let inside = Guarded(Answer.ok)
        try host.register { [unowned host] _ in
            inside.change { $0 = Answer(curfew_host_discover_plugins(host.raw, nil, nil)) }
            return 0
        }
        #expect(host.wait(try host.launch()) == .ok)
        #expect(inside.value == .wrongThread)
        #expect(host.shutDown() == .ok)
        #expect(discover(host, [:]).answer == .closing)
    }
}
