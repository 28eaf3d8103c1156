// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Conformance

@Suite("Plugins in Swift")
struct SwiftTwinTests {
    @Test(
        "each twin in Swift fails its own case, and nothing else",
        arguments: [
            ("misdeeds/swift-traps", "one-task-done", "crash", "2"),
            ("misdeeds/swift-spins", "cooperative-stop", "fail", "2"),
            ("misdeeds/swift-fills-pool", "threads-joined", "leak", "2"),
            ("swift-leaks", "leak-per-task", "leak", "3"),
        ])
    func twins(place: String, tested: String, status: String, level: String) throws {
        let plugin = try SwiftPlugin(place)
        let run = try ConformRun(
            [plugin.directory.path], ["--level", level, "--exclude", "fuzz-*"])
        #expect(run.broken.count == 1, "\(run.broken)")
        #expect(run.cases.first { $0.name == tested }?.status == status, "\(run.broken)")
        #expect(run.process.ending == .exited(1))
    }

    @Test(
        "what the runtime does by itself is no fault of a plugin",
        arguments: ["swift-runtime", "good-swift"])
    func runtime(place: String) throws {
        let plugin = try SwiftPlugin(place)
        let run = try ConformRun([plugin.directory.path], ["--level", "3"])
        #expect(run.broken.isEmpty)
        #expect(run.process.ending == .exited(0))
    }

    @Test("a Swift runtime that is not in the library is told")
    func dynamicRuntime() throws {
        let plugin = try SwiftPlugin("good-swift")
        let own = BuiltProducts.path(ofProduct: "libgood-swift.so")
        try #require(try ChildProcess.run("cp", [own, plugin.directory.path]).succeeded)
        let run = try ConformRun(plugin.directory.path, only: "needed-allowed")
        #expect(
            run.told(.warn).first?.contains("takes the Swift runtime from the machine") == true)
    }
}
