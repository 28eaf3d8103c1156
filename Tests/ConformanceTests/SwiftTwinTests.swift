// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Conformance

@Suite("Plugins in Swift")
struct SwiftTwinTests {
    private static let twins = [
        ("violations/swift-traps", "one-task-done", "crash"),
        ("violations/swift-spins", "cooperative-stop", "fail"),
        ("violations/swift-fills-pool", "threads-joined", "leak"),
        ("swift-leaks", "leak-per-task", "leak"),
    ]

    @Test("each twin in Swift fails its own case", arguments: twins)
    func own(place: String, tested: String, status: String) throws {
        let plugin = try SwiftPlugin(place)
        let run = try ConformRun(plugin.directory.path, only: tested)
        #expect(run.cases.map(\.status) == [status], "\(run.broken)")
        #expect(run.process.ending == .exited(1))
    }

    @Test(
        "each twin in Swift fails its own case, and nothing else",
        .enabled(if: WholeMatrix.isWanted, Comment(rawValue: WholeMatrix.reason)), arguments: twins)
    func nothingElse(place: String, tested: String, status: String) throws {
        let plugin = try SwiftPlugin(place)
        // The work that is left in the pool is in the way of everything that is measured.
        let level = place.hasSuffix("fills-pool") ? "2" : "3"
        let run = try ConformRun(
            [plugin.directory.path], ["--level", level, "--exclude", "fuzz-*"])
        #expect(run.broken.count == 1, "\(run.broken)")
        #expect(run.cases.first { $0.name == tested }?.status == status, "\(run.broken)")
    }

    @Test("what the runtime does by itself is no fault of a plugin")
    func runtime() {
        let wrong = InPairs.faults(["swift-runtime", "good-swift"]) { place in
            let plugin = try SwiftPlugin(place)
            let run = try ConformRun([plugin.directory.path], ["--level", WholeMatrix.level])
            guard run.broken.isEmpty, run.process.ending == .exited(0) else {
                throw TwinError("\(run.broken)\n\(run.process)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    /// libdispatch ends a process in which it cannot open the files of its threads in /proc.
    @Test("a Swift runtime that looks at its threads is no fault of a plugin without descriptors")
    func monitor() throws {
        let plugin = try SwiftPlugin("swift-runtime")
        let manifest = plugin.directory.path("manifest.json")
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        let longer = text.replacingOccurrences(
            of: #""payload": "plain""#, with: #""payload": "long""#)
        try #require(longer != text)
        try longer.write(toFile: manifest, atomically: true, encoding: .utf8)
        let run = try ConformRun(plugin.directory.path, only: "no-descriptors")
        #expect(run.cases.map(\.status) == ["pass"], "\(run.broken)")
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
