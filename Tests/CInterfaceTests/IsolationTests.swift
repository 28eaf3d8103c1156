// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Glibc
import TestSupport
import Testing

/// Where the code of plugins runs, as an embedder in C decides it.
@Suite("Isolation in C")
struct IsolationTests {
    private static let plugin = "org.curfew.test.process"

    /// Loads the plugin `process`, and returns the answer, the host and the plugin's state.
    private func load(
        _ host: TestHost
    ) throws -> (answer: Answer, text: String, state: curfew_plugin_state) {
        let loaded = host.load(BuiltProducts.testPluginDirectory("process"))
        let size = MemoryLayout<curfew_plugin_state>.size
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        defer { bytes.deallocate() }
        memset(bytes, 0, size)
        let state = bytes.bindMemory(to: curfew_plugin_state.self, capacity: 1)
        state.pointee.struct_size = UInt32(size)
        #expect(Answer(curfew_host_get_plugin(host.raw, 0, state, nil)) == .ok)
        return (loaded.answer, String(cString: state.pointee.reason), state.pointee)
    }

    /// A host with a list of one plugin's isolation.
    private func host(
        _ isolation: Int, of plugin: String?, size: Int? = nil,
        otherwise: Int = 0, confines: Bool = false
    ) throws -> TestHost {
        let id = plugin.map { strdup($0) } ?? nil
        defer { free(id) }
        var element = curfew_plugin_isolation()
        element.struct_size = UInt32(size ?? MemoryLayout<curfew_plugin_isolation>.size)
        element.isolation = Int32(isolation)
        element.plugin = id.map { UnsafePointer($0) }
        return try withUnsafePointer(to: &element) { element in
            try TestHost(clock: nil, ownLoop: true) {
                $0.isolations = element
                $0.isolation_count = 1
                $0.isolation = Int32(otherwise)
                $0.confine = confines
            }
        }
    }

    @Test("a plugin is in a thread by default, and has no process")
    func thread() throws {
        let host = try TestHost(clock: nil, ownLoop: true)
        let (answer, text, state) = try load(host)
        #expect(answer == .ok, "\(text)")
        #expect(state.isolation == CURFEW_ISOLATION_THREAD)
        #expect(state.process == 0)
        #expect(state.starts == 0)
    }

    @Test("with CURFEW_ISOLATION_PROCESS it has a process, whose crash the host survives")
    func process() throws {
        let host = try TestHost(clock: nil, ownLoop: true) {
            $0.isolation = Int32(CURFEW_ISOLATION_PROCESS)
        }
        let (answer, text, state) = try load(host)
        #expect(answer == .ok, "\(text)")
        #expect(state.isolation == CURFEW_ISOLATION_PROCESS)
        #expect(state.process > 0)
        #expect(state.process != getpid())
        #expect(state.starts == 1)
        #expect(String(cString: state.last_end) == "")
        let task = try host.launch(Self.plugin + ".one", payload: Array("crash".utf8))
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_CRASHED)
    }

    @Test("the word for a single plugin counts more than that for all")
    func single() throws {
        let host = try host(CURFEW_ISOLATION_PROCESS, of: Self.plugin)
        #expect(try load(host).state.isolation == CURFEW_ISOLATION_PROCESS)
        let other = try self.host(
            CURFEW_ISOLATION_THREAD, of: Self.plugin, otherwise: CURFEW_ISOLATION_PROCESS)
        #expect(try load(other).state.isolation == CURFEW_ISOLATION_THREAD)
        let unlisted = try self.host(CURFEW_ISOLATION_PROCESS, of: "org.example.other")
        #expect(try load(unlisted).state.isolation == CURFEW_ISOLATION_THREAD)
    }

    @Test("with `confine` a plugin has a process, and is refused where it was given a thread")
    func confine() throws {
        let host = try TestHost(clock: nil, ownLoop: true) { $0.confine = true }
        let (answer, text, state) = try load(host)
        #expect(answer == .ok, "\(text)")
        #expect(state.isolation == CURFEW_ISOLATION_PROCESS)
        let other = try self.host(CURFEW_ISOLATION_THREAD, of: Self.plugin, confines: true)
        let refused = try load(other)
        #expect(refused.answer == .refused)
        #expect(refused.text.contains("where nothing confines it"), "\(refused.text)")
    }

    @Test("an element that is none is INVALID")
    func faults() throws {
        #expect(throws: (any Error).self) { try host(CURFEW_ISOLATION_PROCESS, of: nil) }
        #expect(throws: (any Error).self) { try host(0, of: Self.plugin) }
        #expect(throws: (any Error).self) { try host(1, of: Self.plugin, size: 4) }
        #expect(throws: (any Error).self) { try host(1, of: Self.plugin, size: 20) }
    }

    @Test("without curfew-child a plugin that needs a process is refused, not run with less")
    func withoutHelper() throws {
        let path = strdup("/nowhere/curfew-child")
        defer { free(path) }
        let host = try TestHost(clock: nil, ownLoop: true) {
            $0.isolation = Int32(CURFEW_ISOLATION_PROCESS)
            $0.helper = UnsafePointer(path)
        }
        let (answer, text, _) = try load(host)
        #expect(answer == .system)
        #expect(text.contains("/nowhere/curfew-child"))
    }
}
