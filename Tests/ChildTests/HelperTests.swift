// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import PluginBridge
import TestSupport
import Testing

@testable import Runner

/// Where curfew-child is looked for, and which one is refused.
@Suite("The program curfew-child")
struct HelperTests {
    @Test("it is looked for beside the program, and where Curfew is installed")
    func candidates() {
        #expect(
            HelperProgram.candidates(configured: "/a", executable: "/b/c", library: "/d/e") == [
                "/a"
            ])
        #expect(
            HelperProgram.candidates(
                configured: nil, executable: "/usr/bin/app", library: "/opt/lib/libcurfew.so")
                == [
                    "/usr/bin/curfew-child", "/usr/bin/../libexec/curfew/curfew-child",
                    "/opt/lib/curfew-child", "/opt/lib/../libexec/curfew/curfew-child",
                    "/usr/local/libexec/curfew/curfew-child", "/usr/libexec/curfew/curfew-child",
                ])
        #expect(
            HelperProgram.candidates(
                configured: nil, executable: "/usr/bin/app", library: "/usr/bin/app"
            ).count == 4)
    }

    @Test("a missing one is named with the places")
    func missing() throws {
        let error = #expect(throws: BridgeError.self) {
            try Spawner(path: "/no/such/curfew-child").open()
        }
        #expect(error?.status == .system)
        #expect(error?.message.contains("/no/such/curfew-child") == true)
    }

    @Test("one that others can change is refused, with the command that mends it")
    func untrusted() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("#!/bin/sh\n", to: "curfew-child")
        chmod(path, 0o757)
        let error = #expect(throws: BridgeError.self) { try Spawner(path: path).open() }
        #expect(error?.status == .refused)
        #expect(error?.message.contains("chmod o-w \(path)") == true, "\(error?.message ?? "")")
        chmod(path, 0o644)
        let plain = #expect(throws: BridgeError.self) { try Spawner(path: path).open() }
        #expect(plain?.message.contains("chmod a+x \(path)") == true, "\(plain?.message ?? "")")
    }

    @Test("one of another version is refused, and both are named")
    func otherVersion() throws {
        let error = #expect(throws: BridgeError.self) {
            try Spawner(path: try CompiledPrograms.probe.get()).open()
        }
        #expect(error?.status == .system)
        let own = String(csys_layout(), radix: 16)
        #expect(error?.message.contains("(its frames are 1, the host's \(own))") == true)
    }

    @Test("a program that is none is refused")
    func other() throws {
        for path in ["/bin/true", "/bin/sh"] {
            let error = #expect(throws: BridgeError.self) { try Spawner(path: path).open() }
            #expect(error?.message.contains("does not answer") == true, "\(error?.message ?? "")")
        }
        let directory = try TemporaryDirectory()
        let path = try directory.write("no program", to: "curfew-child")
        chmod(path, 0o755)
        let error = #expect(throws: BridgeError.self) { try Spawner(path: path).open() }
        let message = error?.message ?? ""
        // Under ThreadSanitizer the child does not share the memory in which it writes its error.
        #expect(
            message.contains("cannot be run: Exec format error")
                || ProcessFacts.isSanitized && message.contains("does not answer"), "\(message)")
    }

    @Test("a host starts it again after it was killed")
    func again() throws {
        let spawner = Spawner(path: BuiltProducts.path(ofProduct: "curfew-child"))
        defer { spawner.stop() }
        try spawner.start { _ in 0 }
        var calls = 0
        try spawner.start { _ in
            calls += 1
            return calls == 1 ? EPIPE : 0
        }
        #expect(calls == 2)
    }
}
